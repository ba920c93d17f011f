// SPDX-License-Identifier: Apache-2.0
#include "gui/views/buffers_page.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTimer>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/text.h"
#include "gui/models/text_table.h"
#include "gui/views/calm_focus.h"
#include "gui/views/table_keeper.h"

namespace vramscope::gui {

BuffersPage::BuffersPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_model(workspace.session().pool()),
      m_facets(workspace.session().pool()) {
    m_table = new QTableView(this);
    m_table->setModel(&m_model);
    m_table->setAccessibleName(tr("Buffers"));
    new CalmFocus(*m_table);
    new TableKeeper(*m_table, m_model);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    // Rows of one height that Qt need not ask a million cells for.
    m_table->verticalHeader()->setVisible(false);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setSectionsMovable(true);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicator(static_cast<int>(BufferColumn::Size), Qt::DescendingOrder);
    const int unit = fontMetrics().averageCharWidth();
    const std::array<int, kBufferColumns> widths{22, 11, 10, 12, 12, 13, 10, 8, 14, 50, 14, 24, 16};
    for (int column = 0; column < kBufferColumns; ++column)
        m_table->setColumnWidth(column, widths[static_cast<std::size_t>(column)] * unit);
    // What tells buffers apart stands before what they have in common.
    QHeaderView* header = m_table->horizontalHeader();
    const std::array<BufferColumn, 8> first{
        BufferColumn::Name,      BufferColumn::Size,     BufferColumn::Kind,    BufferColumn::Place,
        BufferColumn::Allocated, BufferColumn::Lifetime, BufferColumn::Library, BufferColumn::Finding};
    for (std::size_t i = 0; i < first.size(); ++i)
        header->moveSection(header->visualIndex(static_cast<int>(first[i])), static_cast<int>(i));
    m_status = new QLabel(this);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setContentsMargins(8, 3, 8, 3);
    buildFacets();
    auto* sides = new QSplitter(Qt::Horizontal, this);
    sides->setChildrenCollapsible(true);
    sides->setHandleWidth(1);
    sides->addWidget(m_facetTree);
    sides->addWidget(m_table);
    sides->setStretchFactor(1, 1);
    sides->setSizes({40 * unit, 90 * unit});
    m_page = new NoteOrContent(sides, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_page);
    layout->addWidget(m_status);

    connect(&workspace, &Workspace::sourcesChanged, this, &BuffersPage::renew);
    connect(&workspace.selection(), &SharedSelection::changed, this,
            [this](const Selection& now, const Selection& before) {
                m_model.setSelection(now, m_workspace.filter());
                m_facets.setSelection(now, m_workspace.filter());
                if (now.buffer != before.buffer || now.page != before.page) follow(now);
            });
    connect(&m_model, &BufferTableModel::orderChanged, this, [this] {
        describe();
        follow(m_workspace.now());
    });
    connect(&m_model, &BufferTableModel::reloaded, this, &BuffersPage::describe);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                const model::BufferId buffer = m_model.bufferAt(index.row());
                if (buffer.isNone() || !m_workspace.hasBuffers()) return;
                const BufferStore& store = *m_workspace.sources().store;
                const Row row = store.rowOf(buffer);
                m_workspace.selection().change([&](Selection& selection) {
                    selection.buffer = buffer;
                    if (row < store.bufferCount()) selection.stack = store.allocStackOf(row);
                });
            });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &BuffersPage::describe);
    connect(m_table, &QTableView::customContextMenuRequested, this, &BuffersPage::showMenu);
    auto* copy = new QShortcut(QKeySequence::Copy, m_table);
    copy->setContext(Qt::WidgetShortcut);
    connect(copy, &QShortcut::activated, this,
            [this] { QApplication::clipboard()->setText(selectedText()); });
    renew();
}

void BuffersPage::buildFacets() {
    m_facetTree = new QTreeView(this);
    m_facetTree->setModel(&m_facets);
    m_facetTree->setAccessibleName(tr("What the buffers differ in"));
    m_facetTree->setAccessibleDescription(tr("Enter or a click filters by a value, again takes it away."));
    m_facetTree->setFrameShape(QFrame::NoFrame);
    m_facetTree->setRootIsDecorated(false);
    m_facetTree->setItemsExpandable(false);
    m_facetTree->setUniformRowHeights(true);
    m_facetTree->setIndentation(10);
    m_facetTree->setSelectionMode(QAbstractItemView::NoSelection);
    m_facetTree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_facetTree->header()->setStretchLastSection(false);
    m_facetTree->header()->setMinimumSectionSize(20);
    m_facetTree->header()->setSectionResizeMode(FacetModel::Value, QHeaderView::Stretch);
    const auto fix = [this](int column, const QString& widest) {
        m_facetTree->header()->setSectionResizeMode(column, QHeaderView::Fixed);
        m_facetTree->setColumnWidth(column, fontMetrics().horizontalAdvance(widest) + 10);
    };
    fix(FacetModel::Count, QStringLiteral("Buffers"));
    fix(FacetModel::Bytes, QStringLiteral("1023.9 MiB"));
    const auto toggle = [this](const QModelIndex& index) {
        const FacetValue* value = m_facets.valueAt(index);
        if (value == nullptr) return;
        const QString filter = m_facets.toggled(m_workspace.now().filter, *value);
        m_workspace.selection().change([&](Selection& selection) { selection.filter = filter; });
    };
    connect(m_facetTree, &QTreeView::clicked, this, toggle);
    auto* enter = new QShortcut(QKeySequence(Qt::Key_Return), m_facetTree);
    enter->setContext(Qt::WidgetShortcut);
    connect(enter, &QShortcut::activated, this, [this, toggle] { toggle(m_facetTree->currentIndex()); });
    connect(&m_facets, &QAbstractItemModel::modelReset, this, &BuffersPage::layOutFacets);
}

void BuffersPage::layOutFacets() {
    m_facetTree->expandAll();
    for (int row = 0; row < m_facets.rowCount(); ++row)
        m_facetTree->setFirstColumnSpanned(row, {}, true);
}

void BuffersPage::renew() {
    m_model.setSelection(m_workspace.now(), m_workspace.filter());
    m_model.setSources(m_workspace.sources());
    m_facets.setSelection(m_workspace.now(), m_workspace.filter());
    m_facets.setSources(m_workspace.sources());
    describe();
}

void BuffersPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    // What was selected meanwhile could not be scrolled to.
    QTimer::singleShot(0, this, [this] { follow(m_workspace.now()); });
}

void BuffersPage::follow(const Selection& selection) {
    if (selection.page != Page::Buffers) return;
    const int row = m_model.rowOf(selection.buffer);
    if (row < 0) return;
    const QSignalBlocker blocker(m_table->selectionModel());
    const int left = m_table->horizontalScrollBar()->value();
    const bool isOther = row != m_table->currentIndex().row();
    if (isOther) m_table->setCurrentIndex(m_model.index(row, 0));
    m_table->scrollTo(m_model.index(row, 0),
                      isOther ? QAbstractItemView::PositionAtCenter : QAbstractItemView::EnsureVisible);
    m_table->horizontalScrollBar()->setValue(left);
    m_table->viewport()->update();
}

void BuffersPage::describe() {
    if (!m_workspace.hasBuffers()) {
        m_status->clear();
        return m_page->showNote(m_workspace.session().isOpen() ? tr("Reading the buffers ...")
                                                               : tr("No capture is open."));
    }
    const RowOrder& order = m_model.order();
    if (m_workspace.sources().store->bufferCount() == 0) {
        m_status->clear();
        return m_page->showNote(tr("The job allocated no memory while it was recorded."));
    }
    if (order.rows.empty() && !m_model.isBusy()) {
        m_status->clear();
        return m_page->showNote(
            tr("Nothing matches the filter; it hides all %1 buffers.").arg(countText(m_model.hiddenCount())),
            tr("Clear the filter"), [this] {
                m_workspace.selection().change([](Selection& selection) {
                    selection.filter.clear();
                    selection.process = {};
                    selection.device = {};
                    selection.task = {};
                });
            });
    }
    m_page->showContent();
    QString text = tr("%1 buffers, %2 in all, %3 of them never given back")
                       .arg(countText(static_cast<std::int64_t>(order.rows.size())),
                            bytesText(order.totalBytes), bytesText(order.liveBytes));
    if (m_model.hiddenCount() > 0)
        text += tr("   (the filter hides %1)").arg(countText(m_model.hiddenCount()));
    if (!order.isSorted) text += tr("   sorting ...");
    const QModelIndexList chosen = m_table->selectionModel()->selectedRows();
    if (chosen.size() > 1) {
        std::int64_t bytes = 0;
        for (const QModelIndex& index : chosen)
            bytes = model::addClamped(bytes, m_model.bytesAt(index.row()));
        text = tr("%1 selected: %2      ").arg(countText(chosen.size()), bytesText(bytes)) + text;
    }
    m_status->setText(text);
}

QString BuffersPage::selectedText() const {
    QModelIndexList rows = m_table->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    QString text;
    for (const QModelIndex& index : rows) {
        QStringList cells;
        for (int column = 0; column < kBufferColumns; ++column)
            cells.append(index.siblingAtColumn(column).data().toString());
        text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    return text;
}

QString BuffersPage::csv() const {
    return m_model.csv(kMostExportedRows);
}

void BuffersPage::showMenu(const QPoint& point) {
    const QModelIndex index = m_table->indexAt(point);
    const model::BufferId buffer = m_model.bufferAt(index.row());
    if (buffer.isNone()) return;
    const BufferStore& store = *m_workspace.sources().store;
    const Row row = store.rowOf(buffer);
    if (row >= store.bufferCount()) return;
    QMenu menu(this);
    menu.addAction(tr("Go to its allocation"), this, [&] {
        m_workspace.selection().change([&](Selection& s) { s.timeNs = store.allocNs[row]; });
    });
    if (store.freeNs[row] != model::kNever)
        menu.addAction(tr("Go to its free"), this, [&] {
            m_workspace.selection().change([&](Selection& s) { s.timeNs = store.freeNs[row]; });
        });
    menu.addAction(tr("Select its lifetime"), this, [&] {
        m_workspace.selection().change([&](Selection& s) {
            s.range = {store.allocNs[row], std::min(store.freeNs[row], m_workspace.session().endNs())};
        });
    });
    menu.addSeparator();
    menu.addAction(tr("All that ever held its address"), this, [&] {
        m_workspace.showPage(Page::Buffers, QStringLiteral("addr:0x%1").arg(store.address[row], 0, 16));
    });
    menu.addAction(tr("Only its kind"), this, [&] {
        m_workspace.showPage(Page::Buffers,
                             QStringLiteral("kind:") + toText(formats::bufferKindName(store.kind[row])));
    });
    menu.addAction(tr("Its stack"), this, [&] { m_workspace.showPage(Page::Stacks); });
    menu.addAction(tr("Its address over time"), this, [&] { m_workspace.showPage(Page::Owners); });
    menu.addSeparator();
    menu.addAction(tr("Copy the rows"), this, [this] { QApplication::clipboard()->setText(selectedText()); });
    menu.exec(m_table->viewport()->mapToGlobal(point));
}

QString BuffersPage::asText() const {
    return m_model.rowCount() > 0 ? tableOf(m_model, kMostTextRows, false).aligned() : QString();
}

}  // namespace vramscope::gui
