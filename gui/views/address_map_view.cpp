// SPDX-License-Identifier: Apache-2.0
#include "gui/views/address_map_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>

#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

constexpr int kBar = 30;

}  // namespace

AddressMapView::AddressMapView(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Address map"));
    setAccessibleDescription(tr("Left and right go from buffer to buffer in order of address."));
    connect(&workspace.selection(), &SharedSelection::changed, this, qOverload<>(&QWidget::update));
}

void AddressMapView::setMap(std::shared_ptr<const AddressMap> map) {
    m_map = std::move(map);
    const int arenas = m_map ? static_cast<int>(m_map->arenas.size()) : 0;
    const int totals = m_map ? static_cast<int>(m_map->totals.size()) : 0;
    const int line = fontMetrics().height() + 6;
    setMinimumHeight(kMargin * 2 + arenas * arenaHeight() + (totals + 2) * line);
    update();
}

int AddressMapView::arenaHeight() const {
    return 2 * (fontMetrics().height() + 2) + kBar + 14;
}

QRectF AddressMapView::barOf(std::size_t arena) const {
    const double top = kMargin + static_cast<double>(arena) * arenaHeight() + fontMetrics().height() + 3;
    return {double(kMargin), top, std::max(width() - 2.0 * kMargin, 1.0), double(kBar)};
}

AddressMapView::Scale AddressMapView::scaleOf(std::size_t arena) const {
    const QRectF bar = barOf(arena);
    return {bar, bar.width() / static_cast<double>(std::max<std::int64_t>(m_map->arenas[arena].bytes, 1))};
}

QRectF AddressMapView::Scale::rectOf(const MapPiece& piece) const {
    return {bar.left() + static_cast<double>(piece.offsetBytes) * perByte, bar.top(),
            static_cast<double>(piece.bytes) * perByte, bar.height()};
}

QRectF AddressMapView::rectOf(std::size_t arena, const MapPiece& piece) const {
    return scaleOf(arena).rectOf(piece);
}

Row AddressMapView::rowOf(const MapPiece& piece) const {
    return piece.isBlock ? m_map->blocks[piece.row].row : piece.row;
}

void AddressMapView::setRequest(std::int64_t bytes) {
    m_request = bytes;
    update();
}

std::optional<AddressMapView::Hit> AddressMapView::hitAt(const QPointF& point) const {
    if (!m_map) return std::nullopt;
    for (std::size_t arena = 0; arena < m_map->arenas.size(); ++arena) {
        const QRectF bar = barOf(arena);
        if (!bar.contains(point)) continue;
        const MapArena& a = m_map->arenas[arena];
        const auto offset =
            static_cast<std::int64_t>((point.x() - bar.left()) / bar.width() * static_cast<double>(a.bytes));
        const auto after =
            std::upper_bound(a.pieces.begin(), a.pieces.end(), offset,
                             [](std::int64_t at, const MapPiece& piece) { return at < piece.offsetBytes; });
        if (after == a.pieces.begin()) return std::nullopt;
        return Hit{arena, &*std::prev(after)};
    }
    return std::nullopt;
}

model::BufferId AddressMapView::bufferAt(const QPointF& point) const {
    const auto hit = hitAt(point);
    if (!hit || hit->piece->isHole || hit->piece->isRoom) return {};
    return {m_workspace.sources().store->idOf(rowOf(*hit->piece))};
}

bool AddressMapView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto hit = hitAt(help->pos());
    if (!hit) {
        QToolTip::hideText();
        return true;
    }
    const MapPiece& piece = *hit->piece;
    const BufferStore& store = *m_workspace.sources().store;
    QString text = piece.isHole ? tr("a hole of %1").arg(exactBytesText(piece.bytes))
                                : tr("unused, %1").arg(exactBytesText(piece.bytes));
    if (piece.isBlock) {
        const MapBlock& block = m_map->blocks[piece.row];
        text = QStringLiteral("%1  %2\n%3\n%4")
                   .arg(block.name.isEmpty() ? tr("a block") : block.name, exactBytesText(block.bytes),
                        toText(m_workspace.sources().stacks->placeOf(block.stack.value)),
                        tr("%1 has it since %2").arg(block.owner, timeText(block.startNs)));
    } else if (!piece.isHole && !piece.isRoom) {
        text = QStringLiteral("%1  %2\n%3\n%4")
                   .arg(toText(store.nameOf(piece.row)), exactBytesText(store.sizeBytes[piece.row]),
                        toText(m_workspace.sources().stacks->placeOf(store.allocStack[piece.row])),
                        tr("allocated at %1").arg(timeText(store.allocNs[piece.row])));
    }
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

void AddressMapView::choose(Row row) {
    const BufferStore& store = *m_workspace.sources().store;
    m_workspace.selection().change([&](Selection& selection) {
        selection.buffer = {store.idOf(row)};
        selection.stack = store.allocStackOf(row);
    });
}

void AddressMapView::mousePressEvent(QMouseEvent* event) {
    const auto hit = hitAt(event->position());
    if (hit && !hit->piece->isHole && !hit->piece->isRoom) choose(rowOf(*hit->piece));
}

void AddressMapView::keyPressEvent(QKeyEvent* event) {
    const bool isForward = event->key() == Qt::Key_Right;
    if (!m_map || (!isForward && event->key() != Qt::Key_Left)) return QWidget::keyPressEvent(event);
    std::vector<Row> rows;
    for (const MapArena& arena : m_map->arenas) {
        for (const MapPiece& piece : arena.pieces) {
            if (!piece.isHole && !piece.isRoom && !piece.isBlock) rows.push_back(piece.row);
        }
    }
    if (rows.empty()) return;
    const Row now = m_workspace.sources().store->rowOf(m_workspace.now().buffer);
    const auto at = std::find(rows.begin(), rows.end(), now) - rows.begin();
    const auto count = static_cast<std::ptrdiff_t>(rows.size());
    const auto next = at == count ? 0 : (at + (isForward ? 1 : count - 1)) % count;
    choose(rows[static_cast<std::size_t>(next)]);
}

}  // namespace vramscope::gui
