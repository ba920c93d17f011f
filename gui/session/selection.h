// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/model/ids.h"

namespace vramscope::gui {

/// A part of the run, in nanoseconds since the session began.
struct TimeRange {
    std::int64_t fromNs = 0;
    std::int64_t toNs = 0;

    bool isEmpty() const { return toNs <= fromNs; }
    bool contains(std::int64_t timeNs) const { return fromNs <= timeNs && timeNs < toNs; }
    std::int64_t lengthNs() const { return toNs - fromNs; }
    bool operator==(const TimeRange&) const = default;
};

/// The pages in the middle of the window, in the order of their tabs.
enum class Page { Overview, Finding, Buffers, Stacks, AddressMap, Owners, Events, Compare, Sql };

/// What all views show and act on. A value; what is unset is none, empty or nullopt.
struct Selection {
    Page page = Page::Overview;
    model::ProcessId process;            ///< only this process; none: all
    model::DeviceId device;              ///< only this device; none: all
    std::optional<std::int64_t> timeNs;  ///< the moment that "at a time" means
    TimeRange range;
    QString filter;  ///< in the language of models/filter_language.h
    model::BufferId buffer;
    model::StackId stack;
    model::TaskId task;
    QString finding;  ///< fingerprint

    bool operator==(const Selection&) const = default;
};

/// The selection that a window's views share, with its history. Views never call each other: they change this
/// and follow changed().
class SharedSelection : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    const Selection& current() const { return m_history[m_position]; }
    /// A new step of the history, unless nothing differs. What was ahead is forgotten.
    void set(const Selection& selection);
    /// set() of the current selection as `edit(Selection&)` changes it.
    template <typename Edit>
    void change(Edit edit) {
        Selection selection = current();
        edit(selection);
        set(selection);
    }
    /// Changes the current step in place: for what moves with the mouse and is no step of its own.
    void amend(const Selection& selection);

    bool canGoBack() const { return m_position > 0; }
    bool canGoForward() const { return m_position + 1 < m_history.size(); }
    void goBack();
    void goForward();
    /// Forgets everything, for a capture that was just opened.
    void reset();

Q_SIGNALS:
    void changed(const vramscope::gui::Selection& now, const vramscope::gui::Selection& before);

private:
    void moveTo(std::size_t position);

    static constexpr std::size_t kMostSteps = 500;
    std::vector<Selection> m_history{Selection{}};
    std::size_t m_position = 0;
};

}  // namespace vramscope::gui
