// SPDX-License-Identifier: Apache-2.0
#include "gui/models/workspace.h"

#include "gui/models/story.h"

namespace vramscope::gui {

Workspace::Workspace(QObject* parent) : QObject(parent), m_stacksJob(m_session.pool()) {
    connect(&m_selection, &SharedSelection::changed, this,
            [this](const Selection& now, const Selection& before) {
                if (now.filter == before.filter) return;
                const ParsedFilter parsed = parseFilter(now.filter);
                m_filter = parsed.isOk() ? parsed : ParsedFilter();
            });
    const auto forget = [this] {
        m_stacksJob.cancel();
        m_stacks.reset();
        m_sources = {};
        m_filter = {};
        m_selection.reset();
        m_filterHistory.clear();
        Q_EMIT sourcesChanged();
    };
    connect(&m_session, &Session::opened, this, forget);
    connect(&m_session, &Session::closed, this, forget);
    connect(&m_session, &Session::factsReady, this, [this] {
        m_stacksJob.start(
            [facts = m_session.facts()](const Cancel&) { return std::make_shared<const StackIndex>(facts); },
            [this](std::shared_ptr<const StackIndex> stacks) {
                m_stacks = std::move(stacks);
                renew();
            });
    });
    connect(&m_session, &Session::buffersReady, this, &Workspace::renew);
    connect(&m_session, &Session::analysisReady, this, &Workspace::renew);
}

void Workspace::renew() {
    if (!m_stacks || !m_session.buffers()) return;
    // Of a capture that grows: the index of the newer stacks is on its way, and the newer buffers may need
    // it.
    if (&m_stacks->facts() != m_session.facts().get()) return;
    m_sources = {m_session.buffers(), m_stacks, m_session.analysis()};
    Q_EMIT sourcesChanged();
}

std::int64_t Workspace::momentNs() const {
    if (now().timeNs) return *now().timeNs;
    return m_session.analysis() ? m_session.analysis()->peakNs : 0;
}

bool Workspace::isIdle() const {
    return m_session.isIdle() && !m_stacksJob.isBusy();
}

void Workspace::showFinding(const QString& fingerprint) {
    const auto analysis = m_session.analysis();
    const detectors::Finding* finding = analysis ? analysis->find(fingerprint.toStdString()) : nullptr;
    if (!finding || !hasBuffers()) return;
    m_selection.set(selectionOf(*finding, m_sources, now()));
}

void Workspace::showPage(Page page, const QString& filterWord) {
    m_selection.change([&](Selection& selection) {
        selection.page = page;
        if (!filterWord.isEmpty()) selection.filter = filterWith(selection.filter, filterWord);
    });
}

}  // namespace vramscope::gui
