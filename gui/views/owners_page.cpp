// SPDX-License-Identifier: Apache-2.0
#include "gui/views/owners_page.h"

#include <QVBoxLayout>
#include <algorithm>

#include "analyzer/model/units.h"
#include "gui/models/text.h"

namespace vramscope::gui {

OwnersPage::OwnersPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_job(workspace.session().pool()),
      m_recordJob(workspace.session().pool()) {
    m_header = new QLabel(this);
    m_header->setTextFormat(Qt::PlainText);
    m_header->setContentsMargins(12, 6, 8, 4);
    m_view = new OwnersView(workspace, this);
    m_page = new NoteOrContent(m_view, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_page);
    connect(&workspace, &Workspace::sourcesChanged, this, [this] {
        m_chart.reset();
        renew();
    });
    connect(&workspace.selection(), &SharedSelection::changed, this, [this](const Selection& now) {
        if (now.page == Page::Owners && now.buffer != m_buffer) renew();
    });
    renew();
}

void OwnersPage::renew() {
    m_buffer = {};
    if (!m_workspace.hasBuffers()) {
        m_job.cancel();
        m_recordJob.cancel();
        m_header->clear();
        return m_page->showNote(m_workspace.session().isOpen() ? tr("Reading the buffers ...")
                                                               : tr("No capture is open."));
    }
    const Row row = m_workspace.sources().store->rowOf(m_workspace.now().buffer);
    if (row >= m_workspace.sources().store->bufferCount()) {
        m_header->clear();
        return m_page->showNote(tr("Select a buffer to see who held its bytes before, after and beside it."),
                                tr("Go to the buffers"), [this] { m_workspace.showPage(Page::Buffers); });
    }
    m_buffer = m_workspace.now().buffer;
    // Inside of what is shown already only the outline moves.
    const bool isShown = m_chart && std::any_of(m_chart->boxes.begin(), m_chart->boxes.end(),
                                                [&](const OwnerBox& box) { return box.row == row; });
    if (isShown && m_page->note().isEmpty()) return m_view->update();
    m_recordJob.cancel();
    m_job.start([sources = m_workspace.sources(), row, endNs = m_workspace.session().endNs()](
                    const Cancel& cancel) { return ownersAround(sources, row, endNs, cancel); },
                [this, row](OwnerChart chart) {
                    show(std::move(chart), false);
                    readRecord(row);
                });
}

TextTable OwnersPage::table(bool isExact) const {
    TextTable table;
    if (!m_chart || !m_workspace.hasBuffers()) return table;
    const BufferFilter::Sources& sources = m_workspace.sources();
    table.heading = {tr("Buffer"), tr("Address"), tr("Bytes"), tr("From"), tr("To"), tr("Allocated by")};
    for (const OwnerBox& box : m_chart->boxes) {
        const auto moment = [isExact](std::int64_t ns) {
            return isExact ? QString::number(ns) : timeText(ns, 1000);
        };
        table.rows.push_back(
            {toText(sources.store->nameOf(box.row)), QStringLiteral("0x%1").arg(box.address, 0, 16),
             isExact ? QString::number(box.bytes) : bytesText(box.bytes), moment(box.life.fromNs),
             moment(box.life.toNs), toText(sources.stacks->placeOf(sources.store->allocStack[box.row]))});
    }
    table.leftOut = m_chart->leftOut;
    return table;
}

void OwnersPage::readRecord(Row row) {
    const auto& analysis = m_workspace.sources().analysis;
    if (!analysis || !analysis->capture) return;
    m_recordJob.start(
        [sources = m_workspace.sources(), row, endNs = m_workspace.session().endNs(),
         chart = *m_chart](const Cancel& cancel) { return withRecord(chart, sources, row, endNs, cancel); },
        [this](OwnerChart chart) { show(std::move(chart), false); });
    describe();
}

void OwnersPage::show(OwnerChart chart, bool keepsTime) {
    m_chart = std::make_shared<const OwnerChart>(std::move(chart));
    m_view->setChart(m_chart, keepsTime);
    m_page->showContent();
    describe();
}

void OwnersPage::describe() {
    QString text =
        tr("%1 at 0x%2 .. 0x%3")
            .arg(toText(model::countOf(static_cast<std::int64_t>(m_chart->boxes.size()), "lifetime")))
            .arg(m_chart->fromAddress, 0, 16)
            .arg(m_chart->toAddress, 0, 16);
    if (m_chart->leftOut > 0) text += tr(", and %1 that are not drawn").arg(countText(m_chart->leftOut));
    if (m_view->hidesLives()) text += tr(", some at other times (H: the whole run)");
    const auto& analysis = m_workspace.sources().analysis;
    if (m_recordJob.isBusy())
        text += tr("   reading who owned and used them ...");
    else if (!analysis)
        text += tr("   owners and accesses come with the findings");
    else if (!analysis->capture)
        text +=
            tr("   owners and accesses are not read in a capture of this size; `vramscope report --buffer` "
               "tells them");
    else if (!m_chart->isRecordWhole)
        text += tr("   not all accesses could be read");
    m_header->setText(text);
}

}  // namespace vramscope::gui
