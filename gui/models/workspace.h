// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <memory>

#include "gui/models/buffer_filter.h"
#include "gui/models/filter_history.h"
#include "gui/models/filter_language.h"
#include "gui/session/selection.h"
#include "gui/session/session.h"
#include "gui/session/sidecar.h"

namespace vramscope::gui {

/// All that the views of one window share: the capture, the selection, the notes, and what is worked out of
/// the capture once for all of them. Belongs to the window.
class Workspace : public QObject {
    Q_OBJECT

public:
    explicit Workspace(QObject* parent = nullptr);

    Session& session() { return m_session; }
    SharedSelection& selection() { return m_selection; }
    FilterHistory& filterHistory() { return m_filterHistory; }
    Sidecar& sidecar() { return m_sidecar; }
    const Selection& now() const { return m_selection.current(); }

    /// Buffers, stacks and findings as far as they are there; store and stacks come together.
    const BufferFilter::Sources& sources() const { return m_sources; }
    bool hasBuffers() const { return m_sources.store != nullptr; }
    /// The filter of the selection; empty while it cannot be understood.
    const ParsedFilter& filter() const { return m_filter; }
    /// The filter and scope of the selection, ready to ask.
    BufferFilter rowFilter() const { return BufferFilter(m_sources, m_filter, now()); }
    /// The moment of the selection, or the peak where none is selected.
    std::int64_t momentNs() const;
    bool isIdle() const;

    /// Shows a finding: its moment, range, buffers and stack, in one step of the history.
    void showFinding(const QString& fingerprint);
    /// A page with a filter, in one step.
    void showPage(Page page, const QString& filterWord = {});

Q_SIGNALS:
    /// sources() has more, or nothing any more.
    void sourcesChanged();

private:
    void renew();

    Session m_session;
    SharedSelection m_selection;
    FilterHistory m_filterHistory{m_selection};
    Sidecar m_sidecar;
    std::shared_ptr<const StackIndex> m_stacks;
    BufferFilter::Sources m_sources;
    ParsedFilter m_filter;
    JobSlot m_stacksJob;
};

}  // namespace vramscope::gui
