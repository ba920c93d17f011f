// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "gui/models/address_map.h"
#include "gui/models/workspace.h"

namespace vramscope::gui {

/// An address map as bars, an arena each: buffers by owner's colour, holes hatched and labelled with their
/// size, the buffers that pin them outlined. Below stand the totals of what has no holes.
class AddressMapView : public QWidget {
    Q_OBJECT

public:
    explicit AddressMapView(Workspace& workspace, QWidget* parent = nullptr);

    /// Draws a request of so many bytes to scale where it would go in each arena; 0 draws none.
    void setRequest(std::int64_t bytes);
    std::int64_t request() const { return m_request; }
    void setMap(std::shared_ptr<const AddressMap> map);
    /// The buffer under a point, or none.
    model::BufferId bufferAt(const QPointF& point) const;
    /// Where a piece of an arena is painted.
    QRectF rectOf(std::size_t arena, const MapPiece& piece) const;
    QSize sizeHint() const override { return {600, 300}; }

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    static constexpr int kMargin = 12;

    struct Hit {
        std::size_t arena = 0;
        const MapPiece* piece = nullptr;
    };
    /// Where an arena is painted, worked out once for its many pieces.
    struct Scale {
        QRectF bar;
        double perByte = 0;
        QRectF rectOf(const MapPiece& piece) const;
    };
    std::optional<Hit> hitAt(const QPointF& point) const;
    int arenaHeight() const;
    QRectF barOf(std::size_t arena) const;
    Scale scaleOf(std::size_t arena) const;
    void paintArena(QPainter& painter, std::size_t arena);
    /// Pieces narrower than a pixel.
    void paintCrowd(QPainter& painter, std::size_t arena);
    void paintRequest(QPainter& painter, std::size_t arena);
    void paintTotals(QPainter& painter, double top);
    void paintHole(QPainter& painter, const MapPiece& piece, const QRectF& rect) const;
    /// What lies left of `drawnTo` is painted already.
    void paintPiece(QPainter& painter, const MapPiece& piece, const QRectF& rect, Row chosen,
                    double& drawnTo) const;
    /// The buffer of a piece that is one, or a part of one.
    Row rowOf(const MapPiece& piece) const;
    std::size_t groupOf(const MapPiece& piece) const;
    void choose(Row row);

    Workspace& m_workspace;
    std::shared_ptr<const AddressMap> m_map;
    std::int64_t m_request = 0;
};

}  // namespace vramscope::gui
