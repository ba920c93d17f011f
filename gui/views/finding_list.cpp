// SPDX-License-Identifier: Apache-2.0
#include "gui/views/finding_list.h"

#include <QPainter>
#include <QSignalBlocker>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "gui/models/text.h"
#include "gui/views/calm_focus.h"
#include "gui/views/theme.h"

namespace vramscope::gui {
namespace {

/// Two lines a finding: a mark and the rule, and the amount below. A filled mark is proven, a hollow one
/// possible, a ring no problem.
class FindingDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {120, option.fontMetrics.height() * 2 + 12};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme& theme = themeOf(*option.widget);
        const bool isChosen = option.state & QStyle::State_Selected;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (isChosen) painter->fillRect(option.rect, option.palette.highlight());
        const int indent = index.data(FindingListModel::IsBelowRole).toBool() ? 14 : 0;
        const QRect inner = option.rect.adjusted(8 + indent, 5, -6, -5);
        const QColor text = isChosen ? option.palette.color(QPalette::HighlightedText) : theme.text;
        const QColor quiet = isChosen ? text : theme.quietText;
        paintMark(*painter, QPointF(inner.left() + 6, inner.top() + option.fontMetrics.height() / 2.0), theme,
                  index, isChosen ? std::optional<QColor>(text) : std::nullopt);
        const QRect lines = inner.adjusted(20, 0, 0, 0);
        QFont bold = option.font;
        bold.setBold(index.data(FindingListModel::IsProblemRole).toBool());
        bold.setStrikeOut(index.data(FindingListModel::IsSuppressedRole).toBool());
        painter->setFont(bold);
        painter->setPen(text);
        painter->drawText(
            lines, Qt::AlignTop | Qt::AlignLeft,
            QFontMetrics(bold).elidedText(index.data().toString(), Qt::ElideRight, lines.width()));
        painter->setFont(option.font);
        painter->setPen(quiet);
        painter->drawText(lines, Qt::AlignBottom | Qt::AlignLeft,
                          option.fontMetrics.elidedText(index.data(FindingListModel::HeadlineRole).toString(),
                                                        Qt::ElideRight, lines.width()));
        painter->restore();
    }

private:
    static void paintMark(QPainter& painter, const QPointF& center, const Theme& theme,
                          const QModelIndex& index, std::optional<QColor> override) {
        const bool isProven = index.data(FindingListModel::IsProvenRole).toBool();
        if (!index.data(FindingListModel::IsProblemRole).toBool()) {
            painter.setPen(QPen(override.value_or(theme.quietText), 1.4));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(center, 4, 4);
            return;
        }
        const QColor color = override.value_or(isProven ? theme.problem : theme.possible);
        painter.setPen(QPen(color, 1.6));
        painter.setBrush(isProven ? QBrush(color) : QBrush(Qt::NoBrush));
        painter.drawPolygon(QPolygonF({center + QPointF(0, -5.5), center + QPointF(5.5, 0),
                                       center + QPointF(0, 5.5), center + QPointF(-5.5, 0)}));
    }
};

}  // namespace

FindingList::FindingList(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_model(workspace.sidecar()) {
    m_header = new QLabel(this);
    m_header->setTextFormat(Qt::PlainText);
    m_header->setContentsMargins(8, 6, 6, 4);
    m_header->setWordWrap(true);
    m_view = new QListView(this);
    m_view->setModel(&m_model);
    m_view->setItemDelegate(new FindingDelegate(m_view));
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setAccessibleName(tr("Findings"));
    m_page = new NoteOrContent(m_view, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_page);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) {
                if (index.isValid())
                    m_workspace.showFinding(index.data(FindingListModel::FingerprintRole).toString());
            });
    new CalmFocus(*m_view);
    for (const auto chosen : {&QListView::clicked, &QListView::activated}) {
        connect(m_view, chosen, this, [this](const QModelIndex& index) {
            m_workspace.showFinding(index.data(FindingListModel::FingerprintRole).toString());
        });
    }
    connect(&workspace.session(), &Session::busyChanged, this, &FindingList::renew);
    connect(&workspace, &Workspace::sourcesChanged, this, [this] {
        const QSignalBlocker blocker(m_view->selectionModel());
        m_model.setAnalysis(m_workspace.sources().analysis, m_workspace.sources().stacks);
        renew();
        follow(m_workspace.now());
    });
    connect(&workspace.sidecar(), &Sidecar::changed, this, [this] { follow(m_workspace.now()); });
    connect(&workspace.selection(), &SharedSelection::changed, this,
            [this](const Selection& now) { follow(now); });
    renew();
}

void FindingList::follow(const Selection& selection) {
    const int row = selection.finding.isEmpty() ? -1 : m_model.rowOf(selection.finding);
    const QSignalBlocker blocker(m_view->selectionModel());
    if (row < 0)
        m_view->clearSelection();
    else
        m_view->setCurrentIndex(m_model.index(row));
    m_view->viewport()->update();
}

void FindingList::step(int direction) {
    const int count = m_model.rowCount();
    if (count == 0) return;
    const int now = m_workspace.now().finding.isEmpty() ? (direction > 0 ? -1 : count)
                                                        : m_model.rowOf(m_workspace.now().finding);
    const int next = (now + direction + count) % count;
    m_workspace.showFinding(m_model.index(next).data(FindingListModel::FingerprintRole).toString());
}

void FindingList::renew() {
    Session& session = m_workspace.session();
    const auto analysis = m_workspace.sources().analysis;
    m_header->setVisible(analysis != nullptr);
    if (!session.isOpen()) return m_page->showNote(tr("Findings appear here once a capture is open."));
    if (!analysis) {
        if (session.waitsForAnalysis()) {
            const auto count = static_cast<std::int64_t>(session.buffers()->bufferCount());
            return m_page->showNote(
                tr("%1 buffers: looking for problems takes a while and about %2 of memory.")
                    .arg(countText(count), bytesText(count * 250)),
                tr("Look for problems"), [&session] { session.analyseNow(); });
        }
        if (session.isSalvaged())
            return m_page->showNote(
                tr("Problems are not looked for in a damaged capture: what is missing could "
                   "make anything look wrong."));
        return m_page->showNote(session.isIdle()
                                    ? tr("The rules could not be run: the capture could not be read in full.")
                                    : tr("Looking for problems ..."));
    }
    const int problems = m_model.problemCount();
    const QString gaps = analysis->completeness.isWhole() ? QString() : tr(" in what was recorded");
    m_header->setText(problems == 0 ? tr("No problems found%1").arg(gaps) : QString());
    if (problems == 1) m_header->setText(tr("1 problem%1").arg(gaps));
    if (problems > 1) m_header->setText(tr("%1 problems%2").arg(problems).arg(gaps));
    if (m_model.rowCount() > 0) return m_page->showContent();
    m_page->showNote(analysis->completeness.isWhole()
                         ? tr("All rules ran over a whole record and found nothing worth a word.")
                         : tr("All rules ran and found nothing, but not everything was recorded:\n%1")
                               .arg(toText(analysis->completeness.gaps.front())));
}

}  // namespace vramscope::gui
