// SPDX-License-Identifier: Apache-2.0
#include "gui/views/flame_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "gui/models/text.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

constexpr double kLeastLabel = 34;

const QColor& libraryColor(const Theme& theme, const StackTree::Node& node) {
    return theme.groups[node.libraryRank % (kMostGroups - 1)];
}

/// A colour a library; functions of one library differ a little, so that boxes side by side can be told
/// apart.
QColor colorOf(const Theme& theme, const StackTree::Node& node) {
    const QColor base = libraryColor(theme, node);
    std::uint32_t hash = 2166136261U;
    for (const char c : node.function)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return base.lighter(94 + static_cast<int>(hash % 5) * 4);
}

/// Black or white, whichever is read better. One for a library, or letters would flicker from box to box.
QColor inkOn(const Theme& theme, const StackTree::Node& node) {
    constexpr int kAsFarFromBoth = 118;
    return qGray(libraryColor(theme, node).rgb()) > kAsFarFromBoth ? QColor(0x111111) : QColor(0xffffff);
}

}  // namespace

FlameView::FlameView(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Flame graph of stacks"));
    setAccessibleDescription(
        tr("Arrow keys go from box to box, Enter makes a box fill the width, Home shows all."));
}

void FlameView::setTree(std::shared_ptr<const StackTree> tree) {
    m_tree = std::move(tree);
    m_root = 0;
    m_selected = -1;
    layoutBoxes();
}

void FlameView::layoutBoxes() {
    const double rowHeight = fontMetrics().height() + 5;
    m_boxes = m_tree ? layoutFlame(*m_tree, m_root, width(), rowHeight) : std::vector<FlameBox>();
    double bottom = 0;
    for (const FlameBox& box : m_boxes)
        bottom = std::max(bottom, box.rect.bottom());
    setMinimumHeight(static_cast<int>(bottom) + 4);
    update();
}

void FlameView::setSearch(const QString& text) {
    m_search = text;
    update();
}

bool FlameView::isMatch(std::int32_t node) const {
    if (m_search.isEmpty() || node < 0) return false;
    const StackTree::Node& n = m_tree->nodes[static_cast<std::size_t>(node)];
    return toText(n.function).contains(m_search, Qt::CaseInsensitive) ||
           toText(n.place).contains(m_search, Qt::CaseInsensitive) ||
           toText(n.library).contains(m_search, Qt::CaseInsensitive);
}

double FlameView::matchedShare() const {
    if (!m_tree || m_tree->nodes.empty() || m_tree->nodes.front().bytes <= 0) return 0;
    std::int64_t matched = 0;
    std::vector<std::int32_t> pending{0};
    while (!pending.empty()) {
        const std::int32_t node = pending.back();
        pending.pop_back();
        if (isMatch(node)) {
            matched += m_tree->nodes[static_cast<std::size_t>(node)].bytes;
            continue;
        }
        const auto& children = m_tree->nodes[static_cast<std::size_t>(node)].children;
        pending.insert(pending.end(), children.begin(), children.end());
    }
    return static_cast<double>(matched) / static_cast<double>(m_tree->nodes.front().bytes);
}

void FlameView::select(std::int32_t node) {
    m_selected = node;
    update();
}

void FlameView::zoomTo(std::int32_t node) {
    if (!m_tree || node < 0 || static_cast<std::size_t>(node) >= m_tree->nodes.size()) return;
    m_root = node;
    layoutBoxes();
}

QString FlameView::textOf(const FlameBox& box) const {
    if (box.node < 0) return tr("%1 narrow ones").arg(box.mergedCount);
    if (box.node == 0) return tr("all  %1").arg(bytesText(m_tree->nodes.front().bytes));
    const StackTree::Node& node = m_tree->nodes[static_cast<std::size_t>(box.node)];
    return toText(node.function);
}

void FlameView::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(*this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.canvas);
    for (const FlameBox& box : m_boxes) {
        const QRectF inner = box.rect.adjusted(0, 0, -1, -1);
        if (box.node <= 0) {
            painter.fillRect(inner, box.node == 0 ? theme.grid : theme.hole);
        } else {
            const auto& node = m_tree->nodes[static_cast<std::size_t>(box.node)];
            QColor color = colorOf(theme, node);
            // Away from the search everything steps back.
            if (!m_search.isEmpty() && !isMatch(box.node)) color.setAlpha(60);
            painter.fillRect(inner, color);
            if (isMatch(box.node)) painter.fillRect(inner, QBrush(theme.highlight, Qt::Dense7Pattern));
        }
        if (box.rect.width() >= kLeastLabel) {
            painter.setPen(box.node <= 0 ? theme.text
                                         : inkOn(theme, m_tree->nodes[static_cast<std::size_t>(box.node)]));
            if (!m_search.isEmpty() && !isMatch(box.node)) painter.setPen(theme.quietText);
            painter.drawText(
                inner.adjusted(4, 0, -3, 0), Qt::AlignLeft | Qt::AlignVCenter,
                fontMetrics().elidedText(textOf(box), Qt::ElideRight, static_cast<int>(inner.width()) - 7));
        }
        if (box.node >= 0 && box.node == m_selected) {
            painter.setPen(QPen(theme.highlight, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(inner.adjusted(1, 1, -1, -1));
        }
    }
}

void FlameView::resizeEvent(QResizeEvent*) {
    layoutBoxes();
}

const FlameBox* FlameView::boxAt(const QPointF& point) const {
    const auto at = std::find_if(m_boxes.begin(), m_boxes.end(),
                                 [&](const FlameBox& box) { return box.rect.contains(point); });
    return at == m_boxes.end() ? nullptr : &*at;
}

bool FlameView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const FlameBox* box = boxAt(help->pos());
    if (!box || box->node < 0) {
        QToolTip::hideText();
        return true;
    }
    const StackTree::Node& node = m_tree->nodes[static_cast<std::size_t>(box->node)];
    const double share = 100.0 * static_cast<double>(node.bytes) /
                         static_cast<double>(std::max<std::int64_t>(m_tree->nodes.front().bytes, 1));
    QToolTip::showText(help->globalPos(),
                       QStringLiteral("%1\n%2\n%3")
                           .arg(textOf(*box), toText(node.place),
                                tr("%1 (%2 %), %3 buffers")
                                    .arg(bytesText(node.bytes))
                                    .arg(share, 0, 'f', 1)
                                    .arg(countText(node.count))),
                       this);
    return true;
}

void FlameView::mousePressEvent(QMouseEvent* event) {
    const FlameBox* box = boxAt(event->position());
    if (event->button() != Qt::LeftButton || !box || box->node < 0) return;
    select(box->node);
    Q_EMIT nodeChosen(box->node);
}

void FlameView::mouseDoubleClickEvent(QMouseEvent* event) {
    const FlameBox* box = boxAt(event->position());
    if (box && box->node >= 0) zoomTo(box->node);
}

void FlameView::moveSelection(int key) {
    if (!m_tree || m_tree->nodes.size() < 2) return;
    std::int32_t next = m_selected < 0 ? 0 : m_selected;
    const StackTree::Node& node = m_tree->nodes[static_cast<std::size_t>(next)];
    if (key == Qt::Key_Up && node.parent >= 0) next = node.parent;
    if (key == Qt::Key_Down && !node.children.empty()) next = node.children.front();
    if ((key == Qt::Key_Left || key == Qt::Key_Right) && node.parent >= 0) {
        const auto& siblings = m_tree->nodes[static_cast<std::size_t>(node.parent)].children;
        const auto at = std::find(siblings.begin(), siblings.end(), next) - siblings.begin();
        const auto wanted = at + (key == Qt::Key_Right ? 1 : -1);
        if (wanted >= 0 && wanted < static_cast<std::ptrdiff_t>(siblings.size()))
            next = siblings[static_cast<std::size_t>(wanted)];
    }
    select(next);
    Q_EMIT nodeChosen(next);
}

void FlameView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Left:
        case Qt::Key_Right:
            return moveSelection(event->key());
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return zoomTo(m_selected);
        case Qt::Key_Home:
        case Qt::Key_Escape:
            return zoomTo(0);
        default:
            return QWidget::keyPressEvent(event);
    }
}

}  // namespace vramscope::gui
