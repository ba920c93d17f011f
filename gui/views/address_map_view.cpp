// SPDX-License-Identifier: Apache-2.0
#include "gui/views/address_map_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "analyzer/model/units.h"
#include "gui/models/text.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

constexpr int kMargin = 12;
constexpr int kBar = 30;
/// Pieces narrower than this are painted as shade, not one by one.
constexpr double kLeastPiece = 1.5;

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

std::size_t AddressMapView::groupOf(Row row) const {
    // By the stack that allocated: what was allocated together has one colour.
    const auto stack = static_cast<std::uint32_t>(m_workspace.sources().store->allocStack[row]);
    return (stack * 2654435761U >> 16U) % (kMostGroups - 1);
}

void AddressMapView::paintEvent(QPaintEvent* event) {
    const Theme& theme = themeOf(*this);
    QPainter painter(this);
    painter.fillRect(event->rect(), theme.canvas);
    if (!m_map || !m_workspace.hasBuffers()) return;
    // Of tens of thousands a few are in sight.
    const auto arenas = static_cast<int>(m_map->arenas.size());
    const int first = std::clamp((event->rect().top() - kMargin) / arenaHeight() - 1, 0, arenas);
    const int end = std::clamp((event->rect().bottom() - kMargin) / arenaHeight() + 2, first, arenas);
    for (int arena = first; arena < end; ++arena)
        paintArena(painter, static_cast<std::size_t>(arena));
    paintTotals(painter, kMargin + static_cast<double>(m_map->arenas.size()) * arenaHeight());
}

void AddressMapView::paintArena(QPainter& painter, std::size_t arena) {
    const Theme& theme = themeOf(*this);
    const MapArena& a = m_map->arenas[arena];
    const Scale scale = scaleOf(arena);
    const QRectF& bar = scale.bar;
    const int line = fontMetrics().height();
    QString facts = tr("%1 used").arg(bytesText(a.usedBytes));
    if (a.holeBytes > 0)
        facts +=
            tr(", %1 in holes, the largest %2").arg(bytesText(a.holeBytes), bytesText(a.largestHoleBytes));
    const double factsWidth = fontMetrics().horizontalAdvance(facts);
    painter.setPen(theme.text);
    painter.drawText(QRectF(bar.left(), bar.top() - line - 3, bar.width() - factsWidth - 12, line + 2),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(titleOf(a), Qt::ElideRight,
                                              static_cast<int>(bar.width() - factsWidth - 12)));
    painter.setPen(theme.quietText);
    painter.drawText(QRectF(bar.left(), bar.top() - line - 3, bar.width(), line + 2),
                     Qt::AlignRight | Qt::AlignVCenter, facts);
    painter.fillRect(bar, theme.hole);
    paintCrowd(painter, arena);
    const BufferStore& store = *m_workspace.sources().store;
    const auto& analysis = m_workspace.sources().analysis;
    const Row chosen = store.rowOf(m_workspace.now().buffer);
    double drawnTo = bar.left() - 1;
    for (const MapPiece& piece : a.pieces) {
        const QRectF rect = scale.rectOf(piece);
        if (piece.isHole || piece.isRoom) {
            if (rect.width() < kLeastPiece) continue;
            painter.fillRect(rect,
                             QBrush(theme.quietText, piece.isHole ? Qt::BDiagPattern : Qt::Dense7Pattern));
            const QString label = piece.isHole ? tr("hole %1").arg(bytesText(piece.bytes))
                                               : tr("unused %1").arg(bytesText(piece.bytes));
            const double need = fontMetrics().horizontalAdvance(label) + 10;
            if (rect.width() < need) continue;
            const QRectF plate(rect.center().x() - need / 2, rect.center().y() - line / 2.0 - 1, need,
                               line + 2);
            painter.fillRect(plate, theme.canvas);
            painter.setPen(theme.text);
            painter.drawText(plate, Qt::AlignCenter, label);
            continue;
        }
        if (rect.width() < 1) {
            const bool isChosen = piece.row == chosen;
            const bool isPinning =
                std::find(a.pinning.begin(), a.pinning.end(), piece.row) != a.pinning.end();
            if (isPinning || isChosen)
                painter.fillRect(QRectF(rect.left(), rect.top(), 2, rect.height()),
                                 isChosen ? theme.highlight : theme.problem);
            continue;
        }
        if (rect.right() <= drawnTo) continue;
        const QRectF shown(std::max(rect.left(), drawnTo), rect.top(),
                           std::max(rect.right() - std::max(rect.left(), drawnTo), 1.0), rect.height());
        painter.fillRect(shown, theme.groups[groupOf(piece.row)]);
        drawnTo = shown.right();
        if (rect.width() >= 4) {
            painter.setPen(QPen(theme.canvas, 1));
            painter.drawLine(QPointF(shown.right() - 0.5, shown.top()),
                             QPointF(shown.right() - 0.5, shown.bottom()));
        }
        if (analysis && analysis->findingOfBuffer.contains(store.idOf(piece.row)) && rect.width() >= 3)
            painter.fillRect(shown, QBrush(theme.highlight, Qt::Dense6Pattern));
        if (std::find(a.pinning.begin(), a.pinning.end(), piece.row) != a.pinning.end()) {
            painter.setPen(QPen(theme.problem, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(shown.adjusted(1, 1, -1, -1));
        }
        if (piece.row == chosen) {
            painter.setPen(QPen(theme.highlight, 2.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(shown.adjusted(1, 1, -1, -1));
        }
    }
    painter.setPen(theme.canvasEdge);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
    painter.setPen(theme.quietText);
    QString note = a.note;
    if (!a.pinning.empty()) {
        const QString pins = tr("outlined: the buffers beside the largest hole");
        note = note.isEmpty() ? pins : pins + QStringLiteral("; ") + note;
    }
    painter.drawText(QRectF(bar.left(), bar.bottom() + 1, bar.width(), line + 2),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(note, Qt::ElideRight, static_cast<int>(bar.width())));
    paintRequest(painter, arena);
}

void AddressMapView::setRequest(std::int64_t bytes) {
    m_request = bytes;
    update();
}

void AddressMapView::paintRequest(QPainter& painter, std::size_t arena) {
    if (m_request <= 0) return;
    const Theme& theme = themeOf(*this);
    const MapArena& a = m_map->arenas[arena];
    const MapFit fit = fitOf(a, m_request);
    MapPiece piece;
    piece.offsetBytes = fit.offsetBytes;
    piece.bytes = m_request;
    QRectF box = rectOf(arena, piece);
    const QRectF bar = barOf(arena);
    box.setWidth(std::max(box.width(), 2.0));
    box.adjust(0, 3, 0, -3);
    // What does not fit may be wider than the arena: it is drawn as far as there is room.
    box.setRight(std::min(box.right(), static_cast<double>(width()) - 2));
    const QColor color = fit.fits ? theme.calm : theme.problem;
    QColor fill = theme.canvas;
    fill.setAlpha(170);
    painter.fillRect(box, fill);
    painter.setPen(QPen(color, 2, fit.fits ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
    const QString text = fit.fits ? tr("%1 fits here").arg(bytesText(m_request))
                                  : tr("%1 does not fit").arg(bytesText(m_request));
    const double need = fontMetrics().horizontalAdvance(text) + 8;
    const double line = fontMetrics().height() + 2;
    const QRectF plate(
        std::clamp(box.center().x() - need / 2, bar.left(), std::max(bar.right() - need, bar.left())),
        bar.center().y() - line / 2, need, line);
    painter.fillRect(plate, theme.canvas);
    painter.setPen(color);
    painter.drawText(plate, Qt::AlignCenter, text);
}

void AddressMapView::paintCrowd(QPainter& painter, std::size_t arena) {
    const Theme& theme = themeOf(*this);
    const Scale scale = scaleOf(arena);
    const QRectF& bar = scale.bar;
    struct Column {
        double used = 0;
        Row latest = 0;  ///< gives it its colour
    };
    std::vector<Column> columns(static_cast<std::size_t>(std::max(bar.width(), 1.0)) + 1);
    const auto add = [&columns](std::size_t at, double used, Row row) {
        columns[at].used += used;
        columns[at].latest = row;
    };
    for (const MapPiece& piece : m_map->arenas[arena].pieces) {
        if (piece.isHole || piece.isRoom) continue;
        const double width = static_cast<double>(piece.bytes) * scale.perByte;
        if (width >= 1) continue;
        // Narrower than a pixel, it may still lie on two.
        const double left = static_cast<double>(piece.offsetBytes) * scale.perByte;
        const auto at = std::min(static_cast<std::size_t>(std::max(left, 0.0)), columns.size() - 1);
        const double here = std::min(width, static_cast<double>(at + 1) - left);
        add(at, here, piece.row);
        if (at + 1 < columns.size() && width > here) add(at + 1, width - here, piece.row);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].used <= 0) continue;
        // As dark as it is full: half of it in holes looks half empty.
        QColor color = theme.groups[groupOf(columns[i].latest)];
        color.setAlphaF(static_cast<float>(std::clamp(columns[i].used, 0.05, 1.0)));
        painter.fillRect(QRectF(bar.left() + static_cast<double>(i), bar.top(), 1, bar.height()), color);
    }
}

void AddressMapView::paintTotals(QPainter& painter, double top) {
    if (m_map->totals.empty()) return;
    const Theme& theme = themeOf(*this);
    const double line = fontMetrics().height() + 6;
    painter.setPen(theme.quietText);
    painter.drawText(QRectF(kMargin, top, width() - 2.0 * kMargin, line), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("Placed page by page by the driver, so that only "
                        "the totals count:"));
    std::int64_t most = 1;
    for (const MapTotal& total : m_map->totals)
        most = std::max(most, total.bytes);
    const double labelWidth = 330;
    for (std::size_t i = 0; i < m_map->totals.size(); ++i) {
        const MapTotal& total = m_map->totals[i];
        const double y = top + line * static_cast<double>(i + 1);
        const QString label =
            tr("%1  %2, %3")
                .arg(bytesText(total.bytes), toText(model::countOf(total.count, "buffer")), total.title);
        painter.setPen(theme.text);
        painter.drawText(QRectF(kMargin, y, labelWidth, line), Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(label, Qt::ElideRight, static_cast<int>(labelWidth)));
        const double room = std::max(width() - 2.0 * kMargin - labelWidth - 8, 10.0);
        fillGroup(painter,
                  QRectF(kMargin + labelWidth + 8, y + 3,
                         std::max(room * static_cast<double>(total.bytes) / static_cast<double>(most), 1.0),
                         line - 6),
                  theme, i);
    }
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
    return {m_workspace.sources().store->idOf(hit->piece->row)};
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
    if (!piece.isHole && !piece.isRoom) {
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
    if (hit && !hit->piece->isHole && !hit->piece->isRoom) choose(hit->piece->row);
}

void AddressMapView::keyPressEvent(QKeyEvent* event) {
    const bool isForward = event->key() == Qt::Key_Right;
    if (!m_map || (!isForward && event->key() != Qt::Key_Left)) return QWidget::keyPressEvent(event);
    std::vector<Row> rows;
    for (const MapArena& arena : m_map->arenas) {
        for (const MapPiece& piece : arena.pieces) {
            if (!piece.isHole && !piece.isRoom) rows.push_back(piece.row);
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
