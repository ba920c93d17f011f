// SPDX-License-Identifier: Apache-2.0
#include "gui/views/address_map_page.h"

#include <QScrollArea>
#include <QVBoxLayout>
#include <utility>

#include "gui/models/text.h"
#include "gui/models/text_table.h"

namespace vramscope::gui {

AddressMapPage::AddressMapPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_job(workspace.session().pool()) {
    m_header = new QLabel(this);
    m_header->setTextFormat(Qt::PlainText);
    m_header->setContentsMargins(12, 6, 8, 4);
    m_request = new QLineEdit(this);
    m_request->setPlaceholderText(tr("What if: 512M"));
    m_request->setClearButtonEnabled(true);
    m_request->setMaximumWidth(150);
    m_request->setAccessibleName(tr("Size of a request to try"));
    m_request->setToolTip(
        tr("Draws a request of this size to scale where it would go: K, M, G as in the filter"));
    connect(m_request, &QLineEdit::textChanged, this, &AddressMapPage::readRequest);
    m_view = new AddressMapView(workspace);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(m_view);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_page = new NoteOrContent(scroll, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(0, 0, 8, 0);
    bar->addWidget(m_header, 1);
    bar->addWidget(m_request);
    layout->addLayout(bar);
    layout->addWidget(m_page);
    connect(&workspace, &Workspace::sourcesChanged, this, [this] {
        // Buffers by address are sorted and kept only once somebody looks.
        forget();
        if (m_workspace.now().page == Page::AddressMap || !m_workspace.hasBuffers()) renew();
    });
    connect(&workspace.selection(), &SharedSelection::changed, this,
            [this](const Selection& now, const Selection& before) {
                if (now.page != Page::AddressMap) return;
                if (!m_map || now.page != before.page || now.timeNs != before.timeNs ||
                    now.process != before.process || now.device != before.device)
                    renew();
            });
    renew();
}

void AddressMapPage::setRequest(const QString& size) {
    m_request->setText(size);
}

void AddressMapPage::readRequest() {
    const ParsedFilter parsed = parseFilter(QStringLiteral("size:") + m_request->text().trimmed());
    const bool isSize = parsed.isOk() && parsed.terms.size() == 1 && !m_request->text().trimmed().isEmpty();
    m_view->setRequest(isSize ? parsed.terms.front().number : 0);
}

void AddressMapPage::forget() {
    m_job.cancel();
    // A capture that grows shows what was until the newer one is there.
    if (m_workspace.hasBuffers() && m_workspace.now().page == Page::AddressMap) return;
    m_map.reset();
    m_order.reset();
    m_orderOf.reset();
    m_view->setMap(nullptr);
}

void AddressMapPage::renew() {
    if (!m_workspace.hasBuffers()) {
        forget();
        m_header->clear();
        return m_page->showNote(m_workspace.session().isOpen() ? tr("Reading the buffers ...")
                                                               : tr("No capture is open."));
    }
    m_job.start(
        [sources = m_workspace.sources(), order = m_order, orderOf = m_orderOf, scope = m_workspace.now(),
         timeNs = m_workspace.momentNs()](const Cancel& cancel) {
            Made made{{}, sources.store, order};
            if (orderOf != sources.store)
                made.order = std::make_shared<const AddressOrder>(*sources.store, cancel);
            made.map = addressMapAt(sources, *made.order, scope, timeNs, cancel);
            return made;
        },
        [this](Made made) { show(std::move(made)); });
}

void AddressMapPage::show(Made made) {
    m_order = std::move(made.order);
    m_orderOf = std::move(made.store);
    auto before = std::exchange(m_map, std::make_shared<const AddressMap>(std::move(made.map)));
    m_view->setMap(m_map);
    // Freeing a large one takes as long as a frame.
    m_workspace.session().pool().start([before = std::move(before)]() mutable { before.reset(); });
    const QString which = m_workspace.now().timeNs ? QString() : tr(", the peak");
    m_header->setText(tr("What lies where at %1%2").arg(timeText(m_map->timeNs, 1000), which));
    if (m_map->arenas.empty() && m_map->totals.empty())
        return m_page->showNote(
            tr("Nothing is live at this moment. Choose another in the timeline, or press P for the "
               "peak."));
    m_page->showContent();
}

QWidget& AddressMapPage::pictured() {
    return *m_view;
}

QString AddressMapPage::asCsv() const {
    if (!m_map || !m_workspace.hasBuffers()) return {};
    const BufferStore& store = *m_workspace.sources().store;
    TextTable table;
    table.heading = {tr("Where"), tr("Address"), tr("Bytes"), tr("What"), tr("Allocated by")};
    for (const MapArena& arena : m_map->arenas) {
        for (const MapPiece& piece : arena.pieces) {
            const bool isBuffer = !piece.isHole && !piece.isRoom;
            const MapBlock* block = piece.isBlock ? &m_map->blocks[piece.row] : nullptr;
            const std::int64_t stack = block      ? block->stack.value
                                       : isBuffer ? store.allocStack[piece.row]
                                                  : 0;
            table.rows.push_back(
                {titleOf(arena),
                 QStringLiteral("0x%1").arg(arena.address + static_cast<std::uint64_t>(piece.offsetBytes), 0,
                                            16),
                 QString::number(piece.bytes),
                 block          ? tr("block %1").arg(block->name)
                 : isBuffer     ? toText(store.nameOf(piece.row))
                 : piece.isHole ? tr("hole")
                                : tr("unused"),
                 isBuffer ? toText(m_workspace.sources().stacks->placeOf(stack)) : QString()});
        }
    }
    for (const MapTotal& total : m_map->totals)
        table.rows.push_back({total.title,
                              {},
                              QString::number(total.bytes),
                              tr("%1 buffers").arg(countText(total.count)),
                              {}});
    return table.csv();
}

QString AddressMapPage::asText() const {
    if (!m_map) return {};
    TextTable table;
    table.heading = {m_header->text(), tr("size"), tr("used"), tr("in holes"), tr("largest hole")};
    for (const MapArena& arena : m_map->arenas)
        table.rows.push_back({titleOf(arena), bytesText(arena.bytes), bytesText(arena.usedBytes),
                              bytesText(arena.holeBytes), bytesText(arena.largestHoleBytes)});
    for (const MapTotal& total : m_map->totals)
        table.rows.push_back({total.title, bytesText(total.bytes)});
    return table.aligned();
}

}  // namespace vramscope::gui
