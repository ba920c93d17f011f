// SPDX-License-Identifier: Apache-2.0
#include "gui/models/filter_history.h"

#include <utility>

namespace vramscope::gui {
namespace {

Narrowing narrowingOf(const Selection& selection) {
    return {selection.filter, selection.process, selection.device, selection.task};
}

}  // namespace

FilterHistory::FilterHistory(SharedSelection& selection, QObject* parent)
    : QObject(parent), m_selection(selection) {
    connect(&selection, &SharedSelection::changed, this, &FilterHistory::note);
}

void FilterHistory::note(const Selection& now, const Selection& before) {
    const bool isJoined = std::exchange(m_joinsNext, false);
    if (m_isUndoing || isJoined || narrowingOf(now) == narrowingOf(before)) return;
    if (m_before.size() == kMostSteps) m_before.erase(m_before.begin());
    m_before.push_back(narrowingOf(before));
    Q_EMIT changed();
}

void FilterHistory::undo() {
    if (m_before.empty()) return;
    const Narrowing wanted = m_before.back();
    m_before.pop_back();
    m_isUndoing = true;
    m_selection.change([&](Selection& selection) {
        selection.filter = wanted.filter;
        selection.process = wanted.process;
        selection.device = wanted.device;
        selection.task = wanted.task;
    });
    m_isUndoing = false;
    Q_EMIT changed();
}

void FilterHistory::clear() {
    m_before.clear();
    Q_EMIT changed();
}

}  // namespace vramscope::gui
