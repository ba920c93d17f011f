// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QWidget>
#include <optional>

#include "gui/models/time_map.h"
#include "gui/models/timeline_model.h"

namespace vramscope::gui {

/// Memory over time: a ruler, steps and phases, a lane for each device, findings and bookmarks, and a small
/// map of the whole run. Lanes are painted into a picture that is kept; what moves with the mouse is painted
/// over it.
///
/// Drag selects a range; with Space or the middle button it moves the time; Ctrl and the wheel zoom.
class TimelineView : public QWidget {
    Q_OBJECT

public:
    TimelineView(Workspace& workspace, TimelineModel& model, QWidget* parent = nullptr);

    const TimeMap& timeMap() const { return m_map; }
    void setShown(TimeRange shown);
    void showAll();
    /// Shows the selected range or, with none, the surroundings of the moment; again: everything.
    void focusSelection();
    void zoomAtCursor(double factor);
    void pan(double pixels);
    /// To the allocation or free before or after the selected moment.
    void stepEvent(int direction);
    /// Dragging with the left button moves instead of selecting.
    void setHandTool(bool isOn) { m_isHand = isOn; }
    /// Keeps the end of the run in view while it grows.
    void setFollowsEnd(bool isOn);
    bool followsEnd() const { return m_followsEnd; }
    /// Draws the lanes up to what the card has instead of up to what was used.
    void setShowsCapacity(bool isShown);
    /// "3.4 MiB at 1.2 s ..." of what lies under a point; empty outside of the lanes.
    QString readoutAt(const QPointF& point) const;
    /// False where the driver's number is only told, because it is far above what was live.
    bool drawsReported(std::size_t lane) const {
        return lane >= m_lanes.size() || m_showsCapacity || !m_lanes[lane].hidesReported;
    }
    /// Nanoseconds that the latest picture took, for the benchmark.
    qint64 lastPaintNs() const { return m_lastPaintNs; }

    QSize minimumSizeHint() const override { return {320, 160}; }
    QSize sizeHint() const override { return {900, 260}; }

Q_SIGNALS:
    void hovered(const QString& readout);
    void shownChanged();
    void menuRequested(const QPoint& globalPosition);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    enum class Drag { None, Range, Pan, Minimap };
    /// Between two words of the ruler.
    static constexpr double kTickPixels = 110;
    struct LaneArea {
        int top = 0;
        int bottom = 0;
        std::int64_t fullBytes = 1;
        std::int64_t reportedBytes = 0;  ///< the most that the driver reported
        bool hidesReported = false;      ///< and so much that it is told, not drawn
    };

    void dataChanged();
    /// What is shown first: the run, without a long beginning in which nothing was allocated.
    void showBusyPart();
    void setMap(const TimeMap& map);
    void layoutLanes();
    void spoil();
    void paintPixels();
    void paintWords(QPainter& painter);
    void paintLane(QPainter& painter, std::size_t lane);
    /// Over everything else, so that no cursor goes through it.
    void paintTitle(QPainter& painter, std::size_t lane) const;
    /// What of a lane is known only as a sum: the driver's number above what is live, and what lies between
    /// the devices that were folded.
    void hatchLane(std::size_t lane, const std::vector<GroupBytes>& columns);
    void paintGaps(QPainter& painter);
    QString gapText(const Preview::Gap& gap) const;
    QString gapAt(const QPointF& point) const;
    void paintReadings(QPainter& painter, const LaneArea& area, const std::vector<Reading>& readings,
                       const QPen& pen);
    void paintGrid(QPainter& painter);
    void paintRuler(QPainter& painter);
    /// Where a word of the ruler stands.
    QRectF rulerWord(std::int64_t timeNs) const;
    /// Takes away the words that a plate over the ruler would leave half of.
    void clearRulerBelow(QPainter& painter, const QRectF& plate) const;
    void paintPhases(QPainter& painter);
    void paintPhase(QPainter& painter, const QRectF& box, const QString& name, std::size_t number);
    void paintMarks(QPainter& painter);
    void paintMinimap(QPainter& painter);
    void paintOverlay(QPainter& painter);
    void paintEmpty(QPainter& painter);
    QRect phasesArea() const;
    QRect marksArea() const;
    QRect minimapArea() const;
    int plotLeft() const;
    const LaneArea* laneAt(const QPointF& point) const;
    double yOf(const LaneArea& area, std::int64_t bytes) const;
    QString markAt(const QPointF& point, std::optional<QString>& finding) const;

    Workspace& m_workspace;
    TimelineModel& m_model;
    TimeMap m_map;
    TimeMap m_whole;  ///< of the minimap
    std::vector<LaneArea> m_lanes;
    QImage m_cache;
    bool m_isSpoiled = true;
    bool m_showsCapacity = false;
    bool m_isSpaceDown = false;
    bool m_isHand = false;
    bool m_followsEnd = false;
    bool m_isFresh = true;  ///< nothing exact was shown of this capture yet
    Drag m_drag = Drag::None;
    QPointF m_dragFrom;
    std::int64_t m_dragFromNs = 0;
    TimeMap m_dragMap;
    std::optional<QPointF> m_hover;
    TimeRange m_draft;  ///< the range that is being drawn
    qint64 m_lastPaintNs = 0;
};

}  // namespace vramscope::gui
