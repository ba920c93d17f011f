// SPDX-License-Identifier: Apache-2.0
#include "gui/views/events_page.h"

#include <QHeaderView>
#include <QSignalBlocker>
#include <QTimer>
#include <QVBoxLayout>
#include <array>

#include "gui/models/text.h"
#include "gui/views/calm_focus.h"

namespace vramscope::gui {

EventsPage::EventsPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_model(workspace.session().pool()) {
    m_table = new QTableView(this);
    m_table->setModel(&m_model);
    m_table->setAccessibleName(tr("Events"));
    new CalmFocus(*m_table);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->verticalHeader()->setVisible(false);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setStretchLastSection(true);
    const int unit = fontMetrics().averageCharWidth();
    const std::array<int, 5> widths{15, 26, 22, 13, 14};
    for (std::size_t column = 0; column < widths.size(); ++column)
        m_table->setColumnWidth(static_cast<int>(column), widths[column] * unit);
    m_status = new QLabel(this);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setContentsMargins(8, 3, 8, 3);
    m_page = new NoteOrContent(m_table, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_page);
    layout->addWidget(m_status);
    connect(&workspace, &Workspace::sourcesChanged, this, &EventsPage::renew);
    connect(&workspace.selection(), &SharedSelection::changed, this,
            [this](const Selection& now, const Selection& before) {
                if (now.page != Page::Events) return;
                m_model.setSelection(now, m_workspace.filter());
                if (!m_isFed) renew();
                if (now.timeNs != before.timeNs || now.page != before.page) follow(now);
            });
    connect(&m_model, &QAbstractItemModel::modelReset, this, [this] {
        describe();
        follow(m_workspace.now());
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                if (!index.isValid()) return;
                const model::BufferId buffer = m_model.bufferAt(index.row());
                m_workspace.selection().change([&](Selection& selection) {
                    selection.timeNs = m_model.timeAt(index.row());
                    if (!buffer.isNone()) selection.buffer = buffer;
                });
            });
    renew();
}

void EventsPage::renew() {
    // Ten million rows cost a table tens of megabytes: only once somebody looks.
    m_isFed = m_workspace.hasBuffers() && m_workspace.now().page == Page::Events;
    if (!m_isFed && m_workspace.hasBuffers()) return m_model.setSources({});
    m_model.setSelection(m_workspace.now(), m_workspace.filter());
    m_model.setSources(m_workspace.sources());
    describe();
}

void EventsPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    // What was selected meanwhile could not be scrolled to.
    QTimer::singleShot(0, this, [this] { follow(m_workspace.now()); });
}

void EventsPage::follow(const Selection& selection) {
    if (selection.page != Page::Events || !selection.timeNs || m_model.rowCount() == 0) return;
    const int now = m_table->currentIndex().row();
    if (now >= 0 && m_model.timeAt(now) == *selection.timeNs) return m_table->scrollTo(m_model.index(now, 0));
    const int row = std::max(m_model.rowAt(*selection.timeNs), 0);
    const QSignalBlocker blocker(m_table->selectionModel());
    m_table->setCurrentIndex(m_model.index(row, 0));
    m_table->scrollTo(m_model.index(row, 0), QAbstractItemView::PositionAtCenter);
    m_table->viewport()->update();
}

void EventsPage::describe() {
    m_status->clear();
    if (!m_workspace.hasBuffers())
        return m_page->showNote(m_workspace.session().isOpen() ? tr("Reading the buffers ...")
                                                               : tr("No capture is open."));
    if (m_model.rowCount() == 0 && !m_model.isBusy())
        return m_page->showNote(m_model.hiddenCount() > 0
                                    ? tr("Nothing matches the filter; it hides all %1 events.")
                                          .arg(countText(m_model.hiddenCount()))
                                    : tr("Nothing was allocated while the job was recorded."));
    m_page->showContent();
    QString text = tr("%1 allocations and frees").arg(countText(m_model.rowCount()));
    if (m_model.hiddenCount() > 0)
        text += tr("   (the filter hides %1)").arg(countText(m_model.hiddenCount()));
    m_status->setText(text);
}

}  // namespace vramscope::gui
