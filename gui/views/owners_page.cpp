// SPDX-License-Identifier: Apache-2.0
#include "gui/views/owners_page.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/models/text.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

constexpr double kLeastLabel = 60;

}  // namespace

OwnersView::OwnersView(Workspace& workspace, QWidget* parent) : QWidget(parent), m_workspace(workspace) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Owners of an address over time"));
    setAccessibleDescription(
        tr("Comma and full stop go to the buffer before and after; arrows move, W and S zoom."));
    connect(&workspace.selection(), &SharedSelection::changed, this, qOverload<>(&QWidget::update));
}

QRectF OwnersView::plot() const {
    const double left = fontMetrics().horizontalAdvance(QStringLiteral("0x7f0000000000")) + 14;
    return {left, fontMetrics().height() + 6.0, std::max(width() - left - 10.0, 1.0),
            std::max(height() - fontMetrics().height() - 16.0, 1.0)};
}

void OwnersView::setChart(std::shared_ptr<const OwnerChart> chart) {
    m_chart = std::move(chart);
    const std::int64_t endNs = m_workspace.session().endNs();
    TimeRange lives{endNs, 0};
    if (m_chart) {
        for (const OwnerBox& box : m_chart->boxes)
            lives = {std::min(lives.fromNs, box.life.fromNs), std::max(lives.toNs, box.life.toNs)};
    }
    if (lives.isEmpty()) lives = {0, endNs};
    const std::int64_t margin = lives.lengthNs() / 30;
    m_map = TimeMap({lives.fromNs - margin, lives.toNs + margin}, plot().left(), plot().width(), endNs);
    update();
}

void OwnersView::resizeEvent(QResizeEvent*) {
    m_map = TimeMap(m_map.shown(), plot().left(), plot().width(), m_workspace.session().endNs());
}

double OwnersView::yOf(std::uint64_t address) const {
    const auto range = static_cast<double>(m_chart->toAddress - m_chart->fromAddress);
    const double offset = static_cast<double>(address) - static_cast<double>(m_chart->fromAddress);
    return plot().bottom() - std::clamp(offset / std::max(range, 1.0), 0.0, 1.0) * plot().height();
}

QRectF OwnersView::rectOf(const OwnerBox& box) const {
    const double left = m_map.xOf(box.life.fromNs);
    const double right = m_map.xOf(box.life.toNs);
    const double top = yOf(box.address + static_cast<std::uint64_t>(box.bytes));
    return {left, top, std::max(right - left, 1.0), std::max(yOf(box.address) - top, 2.0)};
}

void OwnersView::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(*this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.canvas);
    if (!m_chart || !m_workspace.hasBuffers()) return;
    const BufferStore& store = *m_workspace.sources().store;
    const QRectF area = plot();
    painter.setPen(theme.quietText);
    for (const std::int64_t at : m_map.ticks(110)) {
        const QString text = timeText(at, m_map.tickNs(110));
        painter.drawText(
            QPointF(std::min(m_map.xOf(at), area.right() - fontMetrics().horizontalAdvance(text)),
                    fontMetrics().ascent() + 2),
            text);
    }
    painter.setClipRect(area);
    for (const OwnerBox& box : m_chart->boxes) {
        const QRectF shown = rectOf(box).intersected(area);
        if (shown.isEmpty()) continue;
        const auto group =
            (static_cast<std::uint32_t>(store.allocStack[box.row]) * 2654435761U >> 16U) % (kMostGroups - 1);
        painter.fillRect(shown, theme.groups[group]);
        if (shown.width() > 3 && shown.height() > 3) {
            painter.setPen(theme.canvas);
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(shown.adjusted(0, 0, -1, -1));
        }
        if (shown.width() >= kLeastLabel && shown.height() >= fontMetrics().height()) {
            painter.setPen(qGray(theme.groups[group].rgb()) > 140 ? QColor(0x111111) : QColor(0xffffff));
            painter.drawText(shown.adjusted(4, 0, -3, 0), Qt::AlignLeft | Qt::AlignVCenter,
                             fontMetrics().elidedText(
                                 toText(store.nameOf(box.row)) + QStringLiteral("  ") + bytesText(box.bytes),
                                 Qt::ElideRight, static_cast<int>(shown.width()) - 7));
        }
        if (store.idOf(box.row) == m_workspace.now().buffer.value) {
            painter.setPen(QPen(theme.highlight, 2.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(shown.adjusted(1, 1, -1, -1));
        }
    }
    if (m_workspace.now().timeNs) {
        painter.setPen(QPen(theme.highlight, 1.5));
        const double x = m_map.xOf(*m_workspace.now().timeNs);
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    }
    painter.setClipping(false);
    painter.setPen(theme.canvasEdge);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area);
    painter.setPen(theme.quietText);
    const int line = fontMetrics().height();
    const auto address = [&](double y, std::uint64_t value) {
        painter.drawText(QRectF(2, y, area.left() - 8, line), Qt::AlignRight,
                         QStringLiteral("0x%1").arg(value, 0, 16));
    };
    address(area.top(), m_chart->toAddress);
    address(area.bottom() - line, m_chart->fromAddress);
}

const OwnerBox* OwnersView::boxAt(const QPointF& point) const {
    if (!m_chart) return nullptr;
    const auto at = std::find_if(m_chart->boxes.rbegin(), m_chart->boxes.rend(),
                                 [&](const OwnerBox& box) { return rectOf(box).contains(point); });
    return at == m_chart->boxes.rend() ? nullptr : &*at;
}

model::BufferId OwnersView::bufferAt(const QPointF& point) const {
    const OwnerBox* box = boxAt(point);
    return box ? model::BufferId{m_workspace.sources().store->idOf(box->row)} : model::BufferId();
}

bool OwnersView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const OwnerBox* box = boxAt(help->pos());
    if (!box) {
        QToolTip::hideText();
        return true;
    }
    const BufferStore& store = *m_workspace.sources().store;
    QToolTip::showText(help->globalPos(),
                       QStringLiteral("%1  %2\n%3\n%4 .. %5")
                           .arg(toText(store.nameOf(box->row)), exactBytesText(box->bytes),
                                toText(m_workspace.sources().stacks->placeOf(store.allocStack[box->row])),
                                timeText(box->life.fromNs), timeText(box->life.toNs)),
                       this);
    return true;
}

void OwnersView::choose(const OwnerBox& box) {
    const BufferStore& store = *m_workspace.sources().store;
    m_workspace.selection().change([&](Selection& selection) {
        selection.buffer = {store.idOf(box.row)};
        selection.stack = store.allocStackOf(box.row);
    });
}

void OwnersView::mousePressEvent(QMouseEvent* event) {
    if (const OwnerBox* box = boxAt(event->position())) choose(*box);
}

void OwnersView::wheelEvent(QWheelEvent* event) {
    const double turns = event->angleDelta().y() / 120.0;
    m_map = (event->modifiers() & Qt::ControlModifier)
                ? m_map.zoomed(std::pow(0.85, turns), event->position().x())
                : m_map.panned(-turns * m_map.width() / 10);
    event->accept();
    update();
}

void OwnersView::keyPressEvent(QKeyEvent* event) {
    const double middle = m_map.left() + m_map.width() / 2;
    switch (event->key()) {
        case Qt::Key_W:
            m_map = m_map.zoomed(0.6, middle);
            return update();
        case Qt::Key_S:
            m_map = m_map.zoomed(1 / 0.6, middle);
            return update();
        case Qt::Key_A:
            m_map = m_map.panned(-m_map.width() / 10);
            return update();
        case Qt::Key_D:
            m_map = m_map.panned(m_map.width() / 10);
            return update();
        case Qt::Key_Left:
        case Qt::Key_Right: {
            if (!m_chart || m_chart->boxes.empty()) return;
            const Row now = m_workspace.sources().store->rowOf(m_workspace.now().buffer);
            const auto count = static_cast<std::ptrdiff_t>(m_chart->boxes.size());
            auto at = std::find_if(m_chart->boxes.begin(), m_chart->boxes.end(),
                                   [&](const OwnerBox& box) { return box.row == now; }) -
                      m_chart->boxes.begin();
            at = at == count ? 0
                             : std::clamp<std::ptrdiff_t>(at + (event->key() == Qt::Key_Right ? 1 : -1), 0,
                                                          count - 1);
            return choose(m_chart->boxes[static_cast<std::size_t>(at)]);
        }
        default:
            return QWidget::keyPressEvent(event);
    }
}

OwnersPage::OwnersPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_job(workspace.session().pool()) {
    m_header = new QLabel(this);
    m_header->setTextFormat(Qt::PlainText);
    m_header->setContentsMargins(12, 6, 8, 4);
    m_view = new OwnersView(workspace, this);
    m_page = new NoteOrContent(m_view, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_page);
    connect(&workspace, &Workspace::sourcesChanged, this, &OwnersPage::renew);
    connect(&workspace.selection(), &SharedSelection::changed, this, [this](const Selection& now) {
        if (now.page == Page::Owners && now.buffer != m_buffer) renew();
    });
    renew();
}

void OwnersPage::renew() {
    m_header->clear();
    m_buffer = {};
    if (!m_workspace.hasBuffers())
        return m_page->showNote(m_workspace.session().isOpen() ? tr("Reading the buffers ...")
                                                               : tr("No capture is open."));
    const Row row = m_workspace.sources().store->rowOf(m_workspace.now().buffer);
    if (row >= m_workspace.sources().store->bufferCount())
        return m_page->showNote(tr("Select a buffer to see who held its bytes before, after and beside it."),
                                tr("Go to the buffers"), [this] { m_workspace.showPage(Page::Buffers); });
    m_buffer = m_workspace.now().buffer;
    // Inside of what is shown already only the outline moves.
    if (m_chart &&
        std::any_of(m_chart->boxes.begin(), m_chart->boxes.end(),
                    [&](const OwnerBox& box) { return box.row == row; }) &&
        m_page->note().isEmpty()) {
        m_header->setText(tr("%1 lifetimes at 0x%2 .. 0x%3")
                              .arg(countText(static_cast<std::int64_t>(m_chart->boxes.size())))
                              .arg(m_chart->fromAddress, 0, 16)
                              .arg(m_chart->toAddress, 0, 16));
        return m_view->update();
    }
    m_job.start([sources = m_workspace.sources(), row, endNs = m_workspace.session().endNs()](
                    const Cancel& cancel) { return ownersAround(sources, row, endNs, cancel); },
                [this](OwnerChart chart) {
                    m_chart = std::make_shared<const OwnerChart>(std::move(chart));
                    m_view->setChart(m_chart);
                    QString text = tr("%1 lifetimes at 0x%2 .. 0x%3")
                                       .arg(countText(static_cast<std::int64_t>(m_chart->boxes.size())))
                                       .arg(m_chart->fromAddress, 0, 16)
                                       .arg(m_chart->toAddress, 0, 16);
                    if (m_chart->leftOut > 0)
                        text += tr(", and %1 that are not drawn").arg(countText(m_chart->leftOut));
                    m_header->setText(text);
                    m_page->showContent();
                });
}

TextTable OwnersPage::table(bool isExact) const {
    TextTable table;
    if (!m_chart || !m_workspace.hasBuffers()) return table;
    const BufferFilter::Sources& sources = m_workspace.sources();
    table.heading = {tr("Buffer"), tr("Address"), tr("Bytes"), tr("From"), tr("To"), tr("Allocated by")};
    for (const OwnerBox& box : m_chart->boxes) {
        const auto moment = [isExact](std::int64_t ns) {
            return isExact ? QString::number(ns) : timeText(ns, 1000);
        };
        table.rows.push_back(
            {toText(sources.store->nameOf(box.row)), QStringLiteral("0x%1").arg(box.address, 0, 16),
             isExact ? QString::number(box.bytes) : bytesText(box.bytes), moment(box.life.fromNs),
             moment(box.life.toNs), toText(sources.stacks->placeOf(sources.store->allocStack[box.row]))});
    }
    table.leftOut = m_chart->leftOut;
    return table;
}

}  // namespace vramscope::gui
