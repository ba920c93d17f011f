// SPDX-License-Identifier: Apache-2.0
// What TimelineView paints. Where things lie follows from the size and the map alone.
#include <QElapsedTimer>
#include <QPaintEngine>
#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "gui/models/story.h"
#include "gui/models/text.h"
#include "gui/views/timeline_picture.h"
#include "gui/views/timeline_view.h"

namespace vramscope::gui {
namespace {

constexpr int kGap = 4;
constexpr double kTickPixels = 110;
/// Room above the highest value of a lane.
constexpr double kHeadroom = 1.18;
/// Phases narrower than this are not drawn one by one.
constexpr double kLeastPhasePixels = 2;
/// Above this many times what was live the driver's number is told in words instead of drawn.
constexpr std::int64_t kMostFlattening = 6;
/// Labels are written only where there is this much room.
constexpr double kLeastLabelPixels = 28;

/// Bytes between two lines of a lane: a power of two with room for the words.
std::int64_t bytesBetweenTicks(std::int64_t fullBytes, int height, int line) {
    const std::int64_t most = std::max(height / (2 * line), 1);
    std::int64_t step = 1;
    while (fullBytes / step > most && step < (std::int64_t{1} << 60))
        step *= 2;
    return step;
}

}  // namespace

int TimelineView::plotLeft() const {
    return fontMetrics().horizontalAdvance(QStringLiteral("1023.9 MiB")) + 14;
}

QRect TimelineView::phasesArea() const {
    const int line = fontMetrics().height() + 4;
    const int height = m_model.phases().empty() ? 0 : line;
    return {plotLeft(), line, static_cast<int>(m_map.width()), height};
}

QRect TimelineView::minimapArea() const {
    const int height = 26;
    return {plotLeft(), this->height() - height - 3, static_cast<int>(m_map.width()), height};
}

QRect TimelineView::marksArea() const {
    const int line = fontMetrics().height() + 4;
    return {plotLeft(), minimapArea().top() - line - 2, static_cast<int>(m_map.width()), line};
}

void TimelineView::layoutLanes() {
    m_lanes.clear();
    const double plotWidth = std::max(width() - plotLeft() - 8, 1);
    m_whole = TimeMap({0, m_model.endNs()}, plotLeft(), plotWidth, m_model.endNs());
    m_map = TimeMap(m_map.shown(), plotLeft(), plotWidth, m_model.endNs());
    const auto& lanes = m_model.lanes();
    const int top = phasesArea().bottom() + 1 + kGap;
    const int bottom = marksArea().top() - kGap;
    if (lanes.empty() || bottom <= top) return;
    const int each = (bottom - top) / static_cast<int>(lanes.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        LaneArea area;
        area.top = top + static_cast<int>(i) * each;
        area.bottom = area.top + each - kGap;
        std::int64_t most = lanes[i].peakBytes;
        for (const Reading& reading : lanes[i].reserved)
            most = std::max(most, reading.bytes);
        for (const Reading& reading : lanes[i].reported)
            area.reportedBytes = std::max(area.reportedBytes, reading.bytes);
        // A context of hundreds of megabytes must not flatten the few that the program itself holds.
        area.hidesReported = most > 0 && area.reportedBytes / kMostFlattening > most;
        if (!area.hidesReported) most = std::max(most, area.reportedBytes);
        if (m_showsCapacity) most = std::max(most, lanes[i].capacityBytes);
        area.fullBytes =
            std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(most) * kHeadroom), 1);
        m_lanes.push_back(area);
    }
}

double TimelineView::yOf(const LaneArea& area, std::int64_t bytes) const {
    return area.bottom -
           static_cast<double>(bytes) / static_cast<double>(area.fullBytes) * (area.bottom - area.top);
}

void TimelineView::paintEvent(QPaintEvent*) {
    QElapsedTimer timer;
    timer.start();
    QPainter painter(this);
    // What is painted on is the window, or a file that somebody exports to.
    const bool isDrawing = painter.paintEngine()->type() == QPaintEngine::SVG;
    const double ratio = isDrawing ? 2.0 : painter.paintEngine()->paintDevice()->devicePixelRatioF();
    const QSize wanted = size() * ratio;
    if (isDrawing || m_isSpoiled || m_cache.size() != wanted) {
        if (m_cache.size() != wanted) m_cache = QImage(wanted, QImage::Format_RGB32);
        m_cache.setDevicePixelRatio(ratio);
        paintPixels();
        // Words in a drawing stay words.
        if (!isDrawing) {
            QPainter cache(&m_cache);
            cache.setFont(font());
            paintWords(cache);
        }
        m_isSpoiled = isDrawing;
    }
    painter.drawImage(0, 0, m_cache);
    if (isDrawing) paintWords(painter);
    paintOverlay(painter);
    m_lastPaintNs = timer.nsecsElapsed();
}

void TimelineView::paintPixels() {
    const Theme& theme = themeOf(*this);
    m_cache.fill(theme.canvas);
    const double ratio = m_cache.devicePixelRatio();
    const auto toPixel = [ratio](double value) { return static_cast<int>(std::lround(value * ratio)); };
    const int columnCount = toPixel(m_map.width());
    {
        QPainter grid(&m_cache);
        paintGrid(grid);
    }
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        const LiveSeries& series = m_model.lanes()[i].series;
        if (series.isEmpty()) continue;
        const std::vector<GroupBytes> columns = series.columns(m_map.shown(), columnCount);
        paintStack(m_cache, toPixel(m_map.left()), toPixel(m_lanes[i].top), toPixel(m_lanes[i].bottom),
                   columns, series.groupCount(), m_lanes[i].fullBytes, theme,
                   m_model.lanes()[i].foldedGroup());
        hatchLane(i, columns);
    }
    const QRect mini = minimapArea();
    if (!m_lanes.empty()) {
        const LiveSeries& series = m_model.lanes().front().series;
        paintStack(m_cache, toPixel(mini.left()), toPixel(mini.top()), toPixel(mini.bottom()),
                   series.columns(m_whole.shown(), columnCount), series.groupCount(),
                   m_lanes.front().fullBytes, theme);
    }
}

void TimelineView::paintWords(QPainter& painter) {
    const Theme& theme = themeOf(*this);
    if (m_lanes.empty()) return paintEmpty(painter);
    paintRuler(painter);
    paintPhases(painter);
    for (std::size_t i = 0; i < m_lanes.size(); ++i)
        paintLane(painter, i);
    const QRect mini = minimapArea();
    paintGaps(painter);
    painter.setPen(theme.canvasEdge);
    painter.drawRect(mini.adjusted(0, 0, -1, -1));
    painter.setPen(theme.quietText);
    painter.drawText(QRect(2, mini.top(), mini.left() - 8, mini.height()), Qt::AlignRight | Qt::AlignVCenter,
                     tr("whole run"));
}

void TimelineView::paintEmpty(QPainter& painter) {
    const Theme& theme = themeOf(*this);
    painter.setPen(theme.quietText);
    const QString text = m_workspace.session().isOpen() ? tr("Reading the capture ...")
                                                        : tr("Open a capture to see its memory over time.");
    painter.drawText(rect(), Qt::AlignCenter, text);
}

void TimelineView::paintGrid(QPainter& painter) {
    painter.setPen(themeOf(*this).grid);
    const int line = fontMetrics().height();
    for (const std::int64_t at : m_map.ticks(kTickPixels)) {
        const double x = m_map.xOf(at);
        painter.drawLine(QPointF(x, line + 3), QPointF(x, marksArea().bottom()));
    }
    for (const LaneArea& area : m_lanes) {
        const std::int64_t step = bytesBetweenTicks(area.fullBytes, area.bottom - area.top, line);
        for (std::int64_t bytes = step; bytes < area.fullBytes; bytes += step)
            painter.drawLine(QPointF(m_map.left(), yOf(area, bytes)),
                             QPointF(m_map.left() + m_map.width(), yOf(area, bytes)));
    }
}

void TimelineView::paintRuler(QPainter& painter) {
    const Theme& theme = themeOf(*this);
    const std::int64_t tick = m_map.tickNs(kTickPixels);
    painter.setPen(theme.quietText);
    for (const std::int64_t at : m_map.ticks(kTickPixels)) {
        const double x = m_map.xOf(at);
        const QString text = timeText(at, tick);
        const double textWidth = fontMetrics().horizontalAdvance(text);
        const double left =
            std::clamp(x - textWidth / 2, m_map.left(), m_map.left() + m_map.width() - textWidth);
        painter.drawText(QPointF(left, fontMetrics().ascent() + 1), text);
    }
}

void TimelineView::paintPhases(QPainter& painter) {
    const QRect area = phasesArea();
    if (area.height() == 0) return;
    const Theme& theme = themeOf(*this);
    painter.save();
    painter.setClipRect(area);
    const auto& phases = m_model.phases();
    const double right = m_map.left() + m_map.width();
    for (std::size_t i = 0; i < phases.size();) {
        const model::Phase& phase = *phases[i];
        const double from = m_map.xOf(phase.startNs);
        if (from > right) break;
        const std::int64_t endNs =
            std::min(phase.endNs == model::kNever ? phase.startNs : phase.endNs, m_model.endNs());
        const double to = std::max(m_map.xOf(endNs), from + 1);
        if (to < m_map.left()) {
            ++i;
            continue;
        }
        if (to - from >= kLeastPhasePixels) {
            paintPhase(painter, QRectF(from, area.top() + 1, to - from - 1, area.height() - 3),
                       toText(phase.name), i);
            ++i;
            continue;
        }
        // Many narrow ones make one grey band: a line each would take seconds and say nothing.
        painter.fillRect(QRectF(from, area.top() + 3, 1, area.height() - 6), theme.quietText);
        const std::int64_t nextNs =
            phase.startNs + std::max<std::int64_t>(static_cast<std::int64_t>(m_map.nsPerPixel()), 1);
        const auto next = std::lower_bound(
            phases.begin() + static_cast<std::ptrdiff_t>(i) + 1, phases.end(), nextNs,
            [](const model::Phase* other, std::int64_t time) { return other->startNs < time; });
        i = static_cast<std::size_t>(next - phases.begin());
    }
    painter.restore();
    painter.setPen(theme.quietText);
    painter.drawText(QRect(2, area.top(), area.left() - 8, area.height()), Qt::AlignRight | Qt::AlignVCenter,
                     tr("phases"));
}

void TimelineView::paintPhase(QPainter& painter, const QRectF& box, const QString& name, std::size_t number) {
    const Theme& theme = themeOf(*this);
    painter.fillRect(box, number % 2 ? theme.grid : theme.hole);
    painter.setPen(theme.canvasEdge);
    painter.drawRect(box);
    if (box.width() < kLeastLabelPixels) return;
    painter.setPen(theme.text);
    const QRectF inner = box.intersected(QRectF(phasesArea())).adjusted(3, 0, -2, 0);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(inner.width())));
}

void TimelineView::paintReadings(QPainter& painter, const LaneArea& area,
                                 const std::vector<Reading>& readings, const QPen& pen) {
    if (readings.empty()) return;
    QPainterPath path;
    bool isBegun = false;
    double lastX = -1;
    double y = 0;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        const double x = m_map.xOf(readings[i].timeNs);
        if (i + 1 < readings.size() && m_map.xOf(readings[i + 1].timeNs) < m_map.left()) continue;
        if (x > m_map.left() + m_map.width()) break;
        // Thousands of samples on one pixel are one sample.
        if (isBegun && x - lastX < 0.5) continue;
        const double nextY = yOf(area, readings[i].bytes);
        const double from = std::max(x, m_map.left());
        if (isBegun) path.lineTo(from, y);
        isBegun ? path.lineTo(from, nextY) : path.moveTo(from, nextY);
        isBegun = true;
        lastX = x;
        y = nextY;
    }
    if (!isBegun) return;
    path.lineTo(m_map.left() + m_map.width(), y);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
}

void TimelineView::paintLane(QPainter& painter, std::size_t lane) {
    const Theme& theme = themeOf(*this);
    const LaneArea& area = m_lanes[lane];
    const TimelineLane& shown = m_model.lanes()[lane];
    painter.save();
    painter.setClipRect(QRectF(m_map.left(), area.top, m_map.width(), area.bottom - area.top + 1));
    paintReadings(painter, area, shown.reserved, QPen(theme.reserved, 1.2, Qt::DashLine));
    paintReadings(painter, area, shown.reported, QPen(theme.reported, 1.2, Qt::DotLine));
    if (m_showsCapacity && shown.capacityBytes > 0) {
        painter.setPen(QPen(theme.capacity, 1.2, Qt::DashDotLine));
        const double y = yOf(area, shown.capacityBytes);
        painter.drawLine(QPointF(m_map.left(), y), QPointF(m_map.left() + m_map.width(), y));
    }
    painter.restore();
    painter.setPen(theme.canvasEdge);
    painter.drawLine(QPointF(m_map.left(), area.bottom), QPointF(m_map.left() + m_map.width(), area.bottom));
    painter.drawLine(QPointF(m_map.left(), area.top), QPointF(m_map.left(), area.bottom));
    painter.setPen(theme.quietText);
    const int line = fontMetrics().height();
    const QRect gutter(2, area.top, static_cast<int>(m_map.left()) - 8, area.bottom - area.top);
    const std::int64_t step = bytesBetweenTicks(area.fullBytes, area.bottom - area.top, line);
    for (std::int64_t bytes = 0; bytes < area.fullBytes; bytes += step) {
        const auto y = static_cast<int>(yOf(area, bytes));
        painter.drawText(QRect(gutter.left(), y - line / 2, gutter.width(), line),
                         Qt::AlignRight | Qt::AlignVCenter,
                         bytes == 0 ? QStringLiteral("0") : bytesText(bytes));
    }
    QString title = shown.title;
    if (shown.capacityBytes > 0) title += tr("   capacity %1").arg(bytesText(shown.capacityBytes));
    if (area.hidesReported && !m_showsCapacity)
        title += tr("   the driver reports up to %1, far above").arg(bytesText(area.reportedBytes));
    if (m_model.isCoarse()) title += tr("   (coarse, still reading)");
    const QRectF plate(m_map.left() + 4, area.top + 1, fontMetrics().horizontalAdvance(title) + 8, line + 2);
    QColor back = theme.canvas;
    back.setAlpha(200);
    painter.fillRect(plate, back);
    painter.setPen(theme.text);
    painter.drawText(plate, Qt::AlignCenter, title);
}

void TimelineView::paintMarks(QPainter& painter) {
    const Theme& theme = themeOf(*this);
    const QRect area = marksArea();
    painter.setPen(theme.quietText);
    painter.drawText(QRect(2, area.top(), area.left() - 8, area.height()), Qt::AlignRight | Qt::AlignVCenter,
                     tr("findings"));
    painter.save();
    painter.setClipRect(area.adjusted(-6, 0, 6, 0));
    painter.setRenderHint(QPainter::Antialiasing);
    const double middle = area.center().y();
    const BufferFilter::Sources& sources = m_workspace.sources();
    if (sources.analysis && sources.store) {
        for (const detectors::Finding& finding : sources.analysis->findings) {
            if (!isProblem(finding.findingClass)) continue;
            const std::optional<TimeRange> when = whenOf(finding, *sources.store);
            if (!when) continue;
            const double x = m_map.xOf(when->fromNs);
            const double end = m_map.xOf(when->toNs);
            const bool isChosen = m_workspace.now().finding == toText(finding.fingerprint);
            const bool isProven = finding.confidence == detectors::Confidence::Proven;
            const QColor color = isProven ? theme.problem : theme.possible;
            painter.setPen(QPen(color, isChosen ? 3 : 1.4));
            painter.drawLine(QPointF(x, middle), QPointF(std::max(end, x), middle));
            painter.setBrush(isProven ? QBrush(color) : QBrush(theme.canvas));
            painter.drawPolygon(QPolygonF({QPointF(x, middle - 5), QPointF(x + 5, middle),
                                           QPointF(x, middle + 5), QPointF(x - 5, middle)}));
        }
    }
    for (const Bookmark& mark : m_workspace.sidecar().bookmarks()) {
        const double x = m_map.xOf(mark.timeNs);
        painter.setPen(QPen(theme.accent, 1.4));
        painter.setBrush(theme.accent);
        painter.drawPolygon(QPolygonF(
            {QPointF(x, area.top() + 2), QPointF(x + 8, area.top() + 5), QPointF(x, area.top() + 8)}));
        painter.drawLine(QPointF(x, area.top() + 2), QPointF(x, area.bottom()));
    }
    painter.restore();
}

void TimelineView::paintMinimap(QPainter& painter) {
    const Theme& theme = themeOf(*this);
    const QRect area = minimapArea();
    const double left = m_whole.xOf(m_map.shown().fromNs);
    const double right = std::max(m_whole.xOf(m_map.shown().toNs), left + 3);
    QColor shade = theme.canvas;
    shade.setAlpha(170);
    painter.fillRect(QRectF(area.left(), area.top(), left - area.left(), area.height()), shade);
    painter.fillRect(QRectF(right, area.top(), area.right() - right, area.height()), shade);
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(left, area.top() + 0.5, right - left, area.height() - 2));
}

void TimelineView::paintOverlay(QPainter& painter) {
    if (m_lanes.empty()) return;
    const Theme& theme = themeOf(*this);
    const Selection& selection = m_workspace.now();
    const double top = phasesArea().bottom() + 1;
    const double bottom = marksArea().bottom();
    paintMarks(painter);
    const TimeRange range = m_draft.isEmpty() ? selection.range : m_draft;
    if (!range.isEmpty()) {
        const double left = std::max(m_map.xOf(range.fromNs), m_map.left());
        const double right = std::min(m_map.xOf(range.toNs), m_map.left() + m_map.width());
        if (right > left) {
            QColor fill = theme.accent;
            fill.setAlpha(36);
            painter.fillRect(QRectF(left, top, right - left, bottom - top), fill);
            painter.setPen(QPen(theme.accent, 1));
            painter.drawLine(QPointF(left, top), QPointF(left, bottom));
            painter.drawLine(QPointF(right, top), QPointF(right, bottom));
        }
    }
    if (m_hover && m_drag != Drag::Pan && m_hover->x() >= m_map.left()) {
        painter.setPen(QPen(theme.quietText, 1, Qt::DotLine));
        painter.drawLine(QPointF(m_hover->x(), top), QPointF(m_hover->x(), bottom));
    }
    if (selection.timeNs) {
        const double x = m_map.xOf(*selection.timeNs);
        if (x >= m_map.left() - 1 && x <= m_map.left() + m_map.width() + 1) {
            painter.setPen(QPen(theme.highlight, 1.5));
            painter.drawLine(QPointF(x, top), QPointF(x, bottom));
            const QString text =
                timeText(*selection.timeNs, std::max<std::int64_t>(m_map.tickNs(kTickPixels) / 100, 1));
            const double textWidth = fontMetrics().horizontalAdvance(text) + 8;
            const double left = std::clamp(x - textWidth / 2, m_map.left(),
                                           std::max(m_map.left() + m_map.width() - textWidth, m_map.left()));
            const QRectF plate(left, 0, textWidth, fontMetrics().height() + 3);
            painter.fillRect(plate, theme.highlight);
            painter.setPen(theme.canvas);
            painter.drawText(plate, Qt::AlignCenter, text);
        }
    }
    paintMinimap(painter);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

const TimelineView::LaneArea* TimelineView::laneAt(const QPointF& point) const {
    const auto at = std::find_if(m_lanes.begin(), m_lanes.end(), [&](const LaneArea& area) {
        return point.y() >= area.top && point.y() <= area.bottom && point.x() >= m_map.left();
    });
    return at == m_lanes.end() ? nullptr : &*at;
}

QString TimelineView::markAt(const QPointF& point, std::optional<QString>& finding) const {
    if (!marksArea().adjusted(-6, 0, 6, 0).contains(point.toPoint())) return {};
    const BufferFilter::Sources& sources = m_workspace.sources();
    if (sources.analysis && sources.store) {
        for (const detectors::Finding& candidate : sources.analysis->findings) {
            if (!isProblem(candidate.findingClass)) continue;
            const std::optional<TimeRange> when = whenOf(candidate, *sources.store);
            if (!when || std::abs(m_map.xOf(when->fromNs) - point.x()) > 7) continue;
            finding = toText(candidate.fingerprint);
            return toText(candidate.rule) + QStringLiteral("  ") + toText(candidate.headline);
        }
    }
    for (const Bookmark& mark : m_workspace.sidecar().bookmarks()) {
        if (std::abs(m_map.xOf(mark.timeNs) - point.x()) <= 7) return mark.text;
    }
    return {};
}

QString TimelineView::readoutAt(const QPointF& point) const {
    std::optional<QString> finding;
    if (const QString mark = markAt(point, finding); !mark.isEmpty()) return mark;
    const LaneArea* area = laneAt(point);
    if (!area) return {};
    const TimelineLane& lane = m_model.lanes()[static_cast<std::size_t>(area - m_lanes.data())];
    const std::int64_t timeNs = m_map.timeAt(point.x());
    const GroupBytes live = lane.series.at(timeNs);
    QString text = tr("%1 live at %2")
                       .arg(bytesText(live.total),
                            timeText(timeNs, std::max<std::int64_t>(m_map.tickNs(kTickPixels) / 100, 1)));
    if (const std::int64_t reported = TimelineLane::readingAt(lane.reported, timeNs); reported >= 0) {
        text += tr(", the driver reports %1").arg(bytesText(reported));
        if (lane.isReportedOfJob && reported > live.total)
            text += tr(": %1 not accounted for by buffers").arg(bytesText(reported - live.total));
    }
    if (!lane.spread.isEmpty()) {
        const DeviceSpread::Step step = lane.spread.at(timeNs);
        text += tr("\nthe %1 devices have %2 to %3")
                    .arg(lane.folded.size())
                    .arg(bytesText(step.leastBytes), bytesText(step.mostBytes));
    }
    if (const QString gap = gapAt(point); !gap.isEmpty()) text += QLatin1Char('\n') + gap;
    for (std::size_t group = 0; group < static_cast<std::size_t>(lane.labels.size()); ++group) {
        if (live.bytes[group] > 0)
            text += QStringLiteral("\n%1  %2").arg(bytesText(live.bytes[group]), lane.labels[group]);
    }
    return text;
}

}  // namespace vramscope::gui
