// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <vector>

#include "gui/session/selection.h"

namespace vramscope::gui {

/// What narrows the views: the words of the filter and the scope beside them.
struct Narrowing {
    QString filter;
    model::ProcessId process;
    model::DeviceId device;
    model::TaskId task;

    bool operator==(const Narrowing&) const = default;
};

/// Remembers what the filter was, so that a change of it can be taken back whatever else was looked at since.
class FilterHistory : public QObject {
    Q_OBJECT

public:
    /// `selection` outlives it.
    explicit FilterHistory(SharedSelection& selection, QObject* parent = nullptr);

    /// The next change belongs to the one before: a letter more of what is being typed.
    void joinNext() { m_joinsNext = true; }
    bool canUndo() const { return !m_before.empty(); }
    /// The filter as it was before its latest change, as a new step of the selection's history.
    void undo();
    /// Forgets everything, for another capture.
    void clear();

Q_SIGNALS:
    void changed();

private:
    void note(const Selection& now, const Selection& before);

    static constexpr std::size_t kMostSteps = 200;
    SharedSelection& m_selection;
    std::vector<Narrowing> m_before;
    bool m_joinsNext = false;
    bool m_isUndoing = false;
};

}  // namespace vramscope::gui
