// SPDX-License-Identifier: Apache-2.0
#include "gui/session/selection.h"

namespace vramscope::gui {

void SharedSelection::set(const Selection& selection) {
    if (selection == current()) return;
    const Selection before = current();
    m_history.resize(m_position + 1);
    m_history.push_back(selection);
    if (m_history.size() > kMostSteps) m_history.erase(m_history.begin());
    m_position = m_history.size() - 1;
    // A copy: whoever listens may change the selection again, and the history moves.
    const Selection now = current();
    Q_EMIT changed(now, before);
}

void SharedSelection::amend(const Selection& selection) {
    if (selection == current()) return;
    const Selection before = current();
    m_history[m_position] = selection;
    Q_EMIT changed(selection, before);
}

void SharedSelection::moveTo(std::size_t position) {
    const Selection before = current();
    m_position = position;
    const Selection now = current();
    Q_EMIT changed(now, before);
}

void SharedSelection::goBack() {
    if (canGoBack()) moveTo(m_position - 1);
}

void SharedSelection::goForward() {
    if (canGoForward()) moveTo(m_position + 1);
}

void SharedSelection::reset() {
    const Selection before = current();
    m_history = {Selection{}};
    m_position = 0;
    Q_EMIT changed(Selection{}, before);
}

}  // namespace vramscope::gui
