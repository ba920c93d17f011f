// SPDX-License-Identifier: Apache-2.0
#include "gui/views/timeline_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/text.h"
#include "gui/views/theme.h"

namespace vramscope::gui {

TimelineLegend::TimelineLegend(Workspace& workspace, TimelineModel& model, const TimelineView& view,
                               QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_model(model), m_view(view) {
    setMinimumWidth(210);
    setMaximumWidth(260);
    setAccessibleName(tr("Legend"));
    connect(&model, &TimelineModel::changed, this, qOverload<>(&QWidget::update));
}

int TimelineLegend::rowHeight() const {
    return fontMetrics().height() + 3;
}

void TimelineLegend::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(*this);
    QPainter painter(this);
    if (m_model.lanes().empty()) return;
    const TimelineLane& lane = m_model.lanes().front();
    int y = 4;
    const auto label = [&](const QString& text) {
        painter.setPen(theme.text);
        painter.drawText(QRect(26, y, width() - 30, rowHeight()), Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(text, Qt::ElideMiddle, width() - 32));
        y += rowHeight();
    };
    for (std::size_t group = 0; group < lane.labels.size(); ++group) {
        fillGroup(painter, QRectF(6, y + 3, 14, rowHeight() - 6), theme, group);
        label(lane.labels[group]);
    }
    const auto line = [&](const QColor& color, Qt::PenStyle style, const QString& text) {
        painter.setPen(QPen(color, 1.6, style));
        painter.drawLine(6, y + rowHeight() / 2, 20, y + rowHeight() / 2);
        label(text);
    };
    y += 4;
    const bool isDrawn = !lane.reported.empty() && m_view.drawsReported(0);
    if (isDrawn) line(theme.reported, Qt::DotLine, tr("driver reports"));
    if (isDrawn && lane.isReportedOfJob) {
        painter.fillRect(QRectF(6, y + 3, 14, rowHeight() - 6), QBrush(theme.quietText, Qt::BDiagPattern));
        label(tr("in no buffer: context, code"));
    }
    const bool isFolded = std::any_of(m_model.lanes().begin(), m_model.lanes().end(),
                                      [](const TimelineLane& other) { return !other.folded.empty(); });
    if (isFolded) {
        painter.fillRect(QRectF(6, y + 3, 14, rowHeight() - 6), QBrush(theme.highlight, Qt::BDiagPattern));
        label(tr("between folded devices"));
    }
    if (!lane.reserved.empty()) line(theme.reserved, Qt::DashLine, tr("reserved by pools"));
}

void TimelineLegend::mousePressEvent(QMouseEvent* event) {
    if (m_model.lanes().empty()) return;
    const TimelineLane& lane = m_model.lanes().front();
    const int group = (static_cast<int>(event->position().y()) - 4) / rowHeight();
    if (group < 0 || group >= static_cast<int>(lane.filters.size())) return;
    const QString word = lane.filters[static_cast<std::size_t>(group)];
    if (!word.isEmpty())
        m_workspace.selection().change(
            [&](Selection& selection) { selection.filter = filterWith(selection.filter, word); });
}

TimelinePanel::TimelinePanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_model(workspace) {
    m_by = new QComboBox(this);
    m_by->setAccessibleName(tr("Stack memory by"));
    m_by->addItem(tr("by library"), static_cast<int>(GroupBy::Library));
    m_by->addItem(tr("by kind"), static_cast<int>(GroupBy::Kind));
    m_by->addItem(tr("by stack"), static_cast<int>(GroupBy::Stack));
    m_by->addItem(tr("by owner"), static_cast<int>(GroupBy::Task));
    m_by->addItem(tr("by process"), static_cast<int>(GroupBy::Process));
    m_by->addItem(tr("by size"), static_cast<int>(GroupBy::Size));
    m_by->addItem(tr("by step"), static_cast<int>(GroupBy::Phase));
    m_by->addItem(tr("by call"), static_cast<int>(GroupBy::Call));
    m_by->addItem(tr("by name"), static_cast<int>(GroupBy::Name));
    auto* capacity = new QCheckBox(tr("Up to capacity"), this);
    capacity->setToolTip(tr("Draws up to what the card has instead of up to what was used"));
    const auto button = [&](const QString& text, const QString& tip, auto action) {
        auto* b = new QToolButton(this);
        b->setText(text);
        b->setToolTip(tip);
        b->setAccessibleName(tip);
        b->setAutoRaise(true);
        connect(b, &QToolButton::clicked, this, action);
        return b;
    };
    m_readout = new QLabel(this);
    m_readout->setTextFormat(Qt::PlainText);
    m_view = new TimelineView(workspace, m_model, this);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 2, 8, 2);
    bar->setSpacing(10);
    bar->addWidget(m_by);
    bar->addWidget(capacity);
    bar->addWidget(button(QStringLiteral("+"), tr("Zoom in (W)"), [this] { m_view->zoomAtCursor(0.6); }));
    bar->addWidget(
        button(QStringLiteral("−"), tr("Zoom out (S)"), [this] { m_view->zoomAtCursor(1 / 0.6); }));
    bar->addWidget(button(tr("All"), tr("Show the whole run (Home)"), [this] { m_view->showAll(); }));
    m_hand = button(tr("Hand"), tr("Dragging moves the time instead of selecting a range"), [] {});
    m_hand->setCheckable(true);
    connect(m_hand, &QToolButton::toggled, this, [this](bool isOn) {
        m_view->setHandTool(isOn);
        Q_EMIT handToolChanged(isOn);
    });
    bar->addWidget(m_hand);
    bar->addStretch();
    bar->addWidget(m_readout);
    m_picture = new QWidget(this);
    auto* body = new QHBoxLayout(m_picture);
    body->setContentsMargins(0, 0, 0, 0);
    body->setSpacing(0);
    body->addWidget(m_view, 1);
    body->addWidget(new TimelineLegend(workspace, m_model, *m_view, this));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_picture, 1);
    connect(m_by, &QComboBox::currentIndexChanged, this,
            [this] { m_model.setGroupBy(static_cast<GroupBy>(m_by->currentData().toInt())); });
    connect(capacity, &QCheckBox::toggled, m_view, &TimelineView::setShowsCapacity);
    connect(capacity, &QCheckBox::toggled, m_picture, qOverload<>(&QWidget::update));
    connect(m_view, &TimelineView::hovered, this,
            [this](const QString& text) { text.isEmpty() ? describe() : m_readout->setText(text); });
    connect(m_view, &TimelineView::menuRequested, this, &TimelinePanel::showMenu);
    connect(&workspace.selection(), &SharedSelection::changed, this, &TimelinePanel::describe);
}

void TimelinePanel::describe() {
    const TimeRange range = m_workspace.now().range;
    if (range.isEmpty() || m_model.lanes().empty()) return m_readout->clear();
    std::int64_t before = 0;
    std::int64_t after = 0;
    for (const TimelineLane& lane : m_model.lanes()) {
        before += lane.series.at(range.fromNs).total;
        after += lane.series.at(range.toNs).total;
    }
    const QString change = (after >= before ? QStringLiteral("+") : QString()) + bytesText(after - before);
    m_readout->setText(
        tr("%1 to %2 (%3): %4")
            .arg(timeText(range.fromNs), timeText(range.toNs), durationText(range.lengthNs()), change));
}

void TimelinePanel::showMenu(const QPoint& globalPosition) {
    QMenu menu(this);
    const bool hasRange = !m_workspace.now().range.isEmpty();
    QAction* zoom =
        menu.addAction(tr("Zoom to the range"), this, [this] { m_view->setShown(m_workspace.now().range); });
    QAction* growth = menu.addAction(tr("Stacks that grew in the range"), this,
                                     [this] { m_workspace.showPage(Page::Stacks); });
    QAction* only = menu.addAction(tr("Only buffers allocated in the range"), this, [this] {
        const TimeRange range = m_workspace.now().range;
        m_workspace.selection().change([&](Selection& selection) {
            selection.filter =
                (selection.filter + QStringLiteral(" time>=%1ns time<%2ns").arg(range.fromNs).arg(range.toNs))
                    .trimmed();
            selection.page = Page::Buffers;
        });
    });
    QAction* clear = menu.addAction(tr("Clear the range"), this, [this] {
        m_workspace.selection().change([](Selection& selection) { selection.range = {}; });
    });
    for (QAction* action : {zoom, growth, only, clear})
        action->setEnabled(hasRange);
    menu.addSeparator();
    menu.addAction(tr("Address map at the cursor"), this, [this] { m_workspace.showPage(Page::AddressMap); });
    menu.addAction(tr("Bookmark the cursor ..."), this, &TimelinePanel::bookmarkWanted);
    menu.exec(globalPosition);
}

TextTable TimelinePanel::table(bool isExact) const {
    const int parts = isExact ? 1000 : 40;
    TextTable table;
    table.heading = {tr("Device"), isExact ? tr("Time ns") : tr("Time"), tr("Live")};
    std::size_t mostGroups = 0;
    for (const TimelineLane& lane : m_model.lanes())
        mostGroups = std::max(mostGroups, lane.labels.size());
    const bool isOneLane = m_model.lanes().size() == 1;
    for (std::size_t group = 0; group < mostGroups; ++group)
        table.heading.append(isOneLane ? m_model.lanes().front().labels[group]
                                       : tr("group %1").arg(group + 1));
    const TimeRange shown = m_view->timeMap().shown();
    const auto bytes = [isExact](std::int64_t value) {
        return isExact ? QString::number(value) : bytesText(value);
    };
    for (const TimelineLane& lane : m_model.lanes()) {
        const std::vector<GroupBytes> columns = lane.series.columns(shown, parts);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::int64_t atNs =
                shown.fromNs + static_cast<std::int64_t>(static_cast<double>(shown.lengthNs()) *
                                                         static_cast<double>(i) / parts);
            QStringList row{lane.title, isExact ? QString::number(atNs) : timeText(atNs),
                            bytes(columns[i].total)};
            for (std::size_t group = 0; group < lane.labels.size(); ++group)
                row.append(bytes(columns[i].bytes[group]));
            table.rows.push_back(row);
        }
    }
    return table;
}

}  // namespace vramscope::gui
