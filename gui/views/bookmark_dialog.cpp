// SPDX-License-Identifier: Apache-2.0
#include "gui/views/bookmark_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>

#include "gui/models/text.h"

namespace vramscope::gui {

BookmarkDialog::BookmarkDialog(Workspace& workspace, QWidget* parent)
    : QDialog(parent), m_workspace(workspace) {
    setWindowTitle(tr("Bookmarks"));
    m_list = new QListWidget(this);
    m_list->setAccessibleName(tr("Bookmarks"));
    auto* where = new QLabel(tr("Kept in %1").arg(workspace.sidecar().fileName()), this);
    where->setTextFormat(Qt::PlainText);
    where->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    QPushButton* go = buttons->addButton(tr("Go there"), QDialogButtonBox::ActionRole);
    QPushButton* remove = buttons->addButton(tr("Remove"), QDialogButtonBox::ActionRole);
    go->setDefault(true);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_list);
    layout->addWidget(where);
    layout->addWidget(buttons);
    resize(460, 320);
    connect(go, &QPushButton::clicked, this, &BookmarkDialog::goToChosen);
    connect(remove, &QPushButton::clicked, this, &BookmarkDialog::removeChosen);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_list, &QListWidget::itemActivated, this, &BookmarkDialog::goToChosen);
    auto* erase = new QShortcut(QKeySequence::Delete, m_list);
    connect(erase, &QShortcut::activated, this, &BookmarkDialog::removeChosen);
    connect(&workspace.sidecar(), &Sidecar::changed, this, &BookmarkDialog::renew);
    renew();
}

void BookmarkDialog::renew() {
    const int row = m_list->currentRow();
    m_list->clear();
    for (const Bookmark& mark : m_workspace.sidecar().bookmarks())
        m_list->addItem(timeText(mark.timeNs, 1000) + QStringLiteral("   ") + mark.text);
    m_list->setCurrentRow(std::clamp(row, 0, std::max(m_list->count() - 1, 0)));
}

void BookmarkDialog::goToChosen() {
    const auto& marks = m_workspace.sidecar().bookmarks();
    const auto row = static_cast<std::size_t>(m_list->currentRow());
    if (row >= marks.size()) return;
    const std::int64_t timeNs = marks[row].timeNs;
    m_workspace.selection().change([&](Selection& selection) { selection.timeNs = timeNs; });
}

void BookmarkDialog::removeChosen() {
    (void)m_workspace.sidecar().removeBookmark(static_cast<std::size_t>(m_list->currentRow()));
}

}  // namespace vramscope::gui
