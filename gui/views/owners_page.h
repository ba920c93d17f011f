// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>

#include "gui/models/owner_chart.h"
#include "gui/models/text_table.h"
#include "gui/models/time_map.h"
#include "gui/models/workspace.h"
#include "gui/views/exportable_view.h"
#include "gui/views/note_or_content.h"

namespace vramscope::gui {

/// Addresses against time around the selected buffer: who held these bytes before, who after, who beside it.
class OwnersView : public QWidget {
    Q_OBJECT

public:
    explicit OwnersView(Workspace& workspace, QWidget* parent = nullptr);

    void setChart(std::shared_ptr<const OwnerChart> chart);
    const TimeMap& timeMap() const { return m_map; }
    void setTimeMap(const TimeMap& map) {
        m_map = map;
        update();
    }
    model::BufferId bufferAt(const QPointF& point) const;
    QRectF rectOf(const OwnerBox& box) const;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    double yOf(std::uint64_t address) const;
    QRectF plot() const;
    const OwnerBox* boxAt(const QPointF& point) const;
    void choose(const OwnerBox& box);

    Workspace& m_workspace;
    std::shared_ptr<const OwnerChart> m_chart;
    TimeMap m_map;
};

class OwnersPage : public QWidget, public ExportableView {
    Q_OBJECT

public:
    explicit OwnersPage(Workspace& workspace, QWidget* parent = nullptr);

    OwnersView& view() { return *m_view; }
    std::shared_ptr<const OwnerChart> chart() const { return m_chart; }
    bool isBusy() const { return m_job.isBusy(); }
    QString note() const { return m_page->note(); }

    QWidget& pictured() override { return *m_view; }
    /// Every lifetime that is drawn.
    QString asCsv() const override { return table(true).csv(); }
    QString asText() const override { return m_chart ? table(false).aligned() : QString(); }

private:
    void renew();
    TextTable table(bool isExact) const;

    Workspace& m_workspace;
    std::shared_ptr<const OwnerChart> m_chart;
    model::BufferId m_buffer;
    QLabel* m_header;
    OwnersView* m_view;
    NoteOrContent* m_page;
    JobSlot m_job;
};

}  // namespace vramscope::gui
