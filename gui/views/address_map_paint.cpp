// SPDX-License-Identifier: Apache-2.0
// What AddressMapView paints: a bar for each arena, totals below.
#include <QPaintEvent>
#include <QPainter>
#include <algorithm>

#include "analyzer/model/units.h"
#include "gui/models/text.h"
#include "gui/views/address_map_view.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

/// Pieces narrower than this are painted as shade, not one by one.
constexpr double kLeastPiece = 1.5;

}  // namespace

std::size_t AddressMapView::groupOf(const MapPiece& piece) const {
    // By the stack that allocated: what was allocated together has one colour.
    const auto stack =
        static_cast<std::uint32_t>(piece.isBlock ? m_map->blocks[piece.row].stack.value
                                                 : m_workspace.sources().store->allocStack[piece.row]);
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
    const Row chosen = m_workspace.sources().store->rowOf(m_workspace.now().buffer);
    double drawnTo = bar.left() - 1;
    for (const MapPiece& piece : a.pieces) {
        const QRectF rect = scale.rectOf(piece);
        piece.isHole || piece.isRoom ? paintHole(painter, piece, rect)
                                     : paintPiece(painter, piece, rect, chosen, drawnTo);
    }
    painter.setPen(theme.canvasEdge);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar.adjusted(0, 0, -1, -1));
    painter.setPen(theme.quietText);
    QString note = a.note;
    if (a.hasPinning()) {
        const QString pins = a.kind == MapArena::Kind::Heap
                                 ? tr("outlined: what stands in the way of a hole twice as large")
                                 : tr("outlined: the buffers beside the largest hole");
        note = note.isEmpty() ? pins : pins + QStringLiteral("; ") + note;
    }
    painter.drawText(QRectF(bar.left(), bar.bottom() + 1, bar.width(), line + 2),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(note, Qt::ElideRight, static_cast<int>(bar.width())));
    paintRequest(painter, arena);
}

void AddressMapView::paintHole(QPainter& painter, const MapPiece& piece, const QRectF& rect) const {
    if (rect.width() < kLeastPiece) return;
    const Theme& theme = themeOf(*this);
    painter.fillRect(rect, QBrush(theme.quietText, piece.isHole ? Qt::BDiagPattern : Qt::Dense7Pattern));
    for (const QString& words : {piece.isHole ? tr("hole %1") : tr("unused %1"), QStringLiteral("%1")}) {
        const QString label = words.arg(bytesText(piece.bytes));
        const double need = fontMetrics().horizontalAdvance(label) + 10;
        if (rect.width() < need) continue;
        const int line = fontMetrics().height();
        const QRectF plate(rect.center().x() - need / 2, rect.center().y() - line / 2.0 - 1, need, line + 2);
        painter.fillRect(plate, theme.canvas);
        painter.setPen(theme.text);
        painter.drawText(plate, Qt::AlignCenter, label);
        return;
    }
}

void AddressMapView::paintPiece(QPainter& painter, const MapPiece& piece, const QRectF& rect, Row chosen,
                                double& drawnTo) const {
    const Theme& theme = themeOf(*this);
    const BufferStore& store = *m_workspace.sources().store;
    const auto& analysis = m_workspace.sources().analysis;
    const bool isChosen = !piece.isBlock && piece.row == chosen;
    if (rect.width() < 1) {
        if (piece.isPinning || isChosen)
            painter.fillRect(QRectF(rect.left(), rect.top(), 2, rect.height()),
                             isChosen ? theme.highlight : theme.problem);
        return;
    }
    if (rect.right() <= drawnTo) return;
    const QRectF shown(std::max(rect.left(), drawnTo), rect.top(),
                       std::max(rect.right() - std::max(rect.left(), drawnTo), 1.0), rect.height());
    painter.fillRect(shown, theme.groups[groupOf(piece)]);
    drawnTo = shown.right();
    if (rect.width() >= 4) {
        painter.setPen(QPen(theme.canvas, 1));
        painter.drawLine(QPointF(shown.right() - 0.5, shown.top()),
                         QPointF(shown.right() - 0.5, shown.bottom()));
    }
    // All blocks of a heap are in the buffer that a finding is about.
    const bool mayBeFound = analysis && !piece.isBlock && rect.width() >= 3;
    if (mayBeFound && analysis->findingOfBuffer.contains(store.idOf(piece.row)))
        painter.fillRect(shown, QBrush(theme.highlight, Qt::Dense6Pattern));
    painter.setBrush(Qt::NoBrush);
    if (piece.isPinning) {
        painter.setPen(QPen(theme.problem, 2));
        painter.drawRect(shown.adjusted(1, 1, -1, -1));
    }
    if (isChosen) {
        painter.setPen(QPen(theme.highlight, 2.5));
        painter.drawRect(shown.adjusted(1, 1, -1, -1));
    }
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
        const MapPiece* latest = nullptr;  ///< gives it its colour
    };
    std::vector<Column> columns(static_cast<std::size_t>(std::max(bar.width(), 1.0)) + 1);
    const auto add = [&columns](std::size_t at, double used, const MapPiece& piece) {
        columns[at].used += used;
        columns[at].latest = &piece;
    };
    for (const MapPiece& piece : m_map->arenas[arena].pieces) {
        if (piece.isHole || piece.isRoom) continue;
        const double width = static_cast<double>(piece.bytes) * scale.perByte;
        if (width >= 1) continue;
        // Narrower than a pixel, it may still lie on two.
        const double left = static_cast<double>(piece.offsetBytes) * scale.perByte;
        const auto at = std::min(static_cast<std::size_t>(std::max(left, 0.0)), columns.size() - 1);
        const double here = std::min(width, static_cast<double>(at + 1) - left);
        add(at, here, piece);
        if (at + 1 < columns.size() && width > here) add(at + 1, width - here, piece);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].used <= 0) continue;
        // As dark as it is full: half of it in holes looks half empty.
        QColor color = theme.groups[groupOf(*columns[i].latest)];
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

}  // namespace vramscope::gui
