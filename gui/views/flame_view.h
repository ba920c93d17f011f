// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <vector>

#include "gui/models/flame_layout.h"
#include "gui/models/stack_tree.h"

namespace vramscope::gui {

/// A tree of stacks as boxes, the callers on top. Click selects, double click makes a box fill the width.
class FlameView : public QWidget {
    Q_OBJECT

public:
    explicit FlameView(QWidget* parent = nullptr);

    void setTree(std::shared_ptr<const StackTree> tree);
    void setSearch(const QString& text);
    void select(std::int32_t node);
    void zoomTo(std::int32_t node);
    std::int32_t selected() const { return m_selected; }
    const std::vector<FlameBox>& boxes() const { return m_boxes; }
    /// Share of the whole that the search found, of 1.
    double matchedShare() const;
    QSize sizeHint() const override { return {600, 300}; }

Q_SIGNALS:
    void nodeChosen(int node);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void layoutBoxes();
    const FlameBox* boxAt(const QPointF& point) const;
    QString textOf(const FlameBox& box) const;
    bool isMatch(std::int32_t node) const;
    void moveSelection(int key);

    std::shared_ptr<const StackTree> m_tree;
    std::vector<FlameBox> m_boxes;
    std::int32_t m_root = 0;
    std::int32_t m_selected = -1;
    QString m_search;
};

}  // namespace vramscope::gui
