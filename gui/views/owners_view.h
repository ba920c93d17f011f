// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include "gui/models/owner_chart.h"
#include "gui/models/time_map.h"
#include "gui/models/workspace.h"

class QPainter;

namespace vramscope::gui {

class PlateRoom;
struct Theme;

/// Lives of buffers as boxes, addresses upwards and time to the right, with who owned, lent and touched them.
class OwnersView : public QWidget {
    Q_OBJECT

public:
    explicit OwnersView(Workspace& workspace, QWidget* parent = nullptr);

    /// `keepsTime`: what is shown of the time stays.
    void setChart(std::shared_ptr<const OwnerChart> chart, bool keepsTime = false);
    const TimeMap& timeMap() const { return m_map; }
    /// True when lives lie outside of the time that is shown.
    bool hidesLives() const;
    void setTimeMap(const TimeMap& map) {
        m_map = map;
        update();
    }
    model::BufferId bufferAt(const QPointF& point) const;
    QRectF rectOf(const OwnerBox& box) const;
    /// Where a mark is drawn.
    QRectF rectOf(const PlacedMark& mark) const;
    /// The mark at a point, faults before others; nullptr when there is none.
    const PlacedMark* markAt(const QPointF& point) const;
    /// What is at a point, for a tool tip.
    QString readoutAt(const QPointF& point) const;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// Names are written only where there is this much room.
    static constexpr double kLeastLabel = 60;

    QRectF plot() const;
    QRectF bandRect(std::size_t band) const;
    double yOf(std::size_t band, std::uint64_t address) const;
    QRectF rectOf(std::size_t band, std::uint64_t address, std::int64_t bytes, const TimeRange& time) const;
    const OwnerBox* boxAt(const QPointF& point) const;
    void choose(const OwnerBox& box);
    void mapTime(const TimeRange& shown);
    /// All lives, or the chosen one with its surroundings where it would be no more than a line among them.
    TimeRange firstShown() const;

    void paintRuler(QPainter& painter) const;
    void paintBand(QPainter& painter, std::size_t band) const;
    void paintBoxes(QPainter& painter) const;
    void paintSpans(QPainter& painter) const;
    void paintFrames(QPainter& painter) const;
    void paintOverlaps(QPainter& painter) const;
    void paintMarks(QPainter& painter, PlateRoom& room) const;
    void paintMark(QPainter& painter, const PlacedMark& mark, PlateRoom& room) const;
    void paintFaults(QPainter& painter, PlateRoom& room) const;
    void paintFault(QPainter& painter, const PlacedMark& mark, PlateRoom& room) const;
    void paintFaultWords(QPainter& painter, PlateRoom& room) const;
    void paintNames(QPainter& painter, PlateRoom& room) const;
    void paintName(QPainter& painter, PlateRoom& room, const QRectF& shown, const QString& text) const;
    void paintHandOverWords(QPainter& painter, PlateRoom& room) const;
    void paintLegend(QPainter& painter) const;
    bool isInView(const PlacedMark& mark) const;
    /// The middle of a fault's cross.
    QPointF crossOf(const PlacedMark& mark) const;
    /// From the writer to the overwritten bytes.
    QLineF overwriteArrow(const PlacedMark& mark) const;
    QSizeF plateSize(const QString& text) const;
    QString nameOf(std::size_t box) const;

    Workspace& m_workspace;
    std::shared_ptr<const OwnerChart> m_chart;
    TimeMap m_map;
    TimeRange m_lives;  ///< of all boxes and marks, with a margin
};

}  // namespace vramscope::gui
