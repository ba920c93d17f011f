// SPDX-License-Identifier: Apache-2.0
#include "gui/views/keys_dialog.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace vramscope::gui {

KeysDialog::KeysDialog(Shortcuts& shortcuts, QWidget* parent) : QDialog(parent), m_shortcuts(shortcuts) {
    setWindowTitle(tr("Keys"));
    auto* tabs = new QTabWidget(this);
    tabs->addTab(buildCommands(), tr("Commands"));
    tabs->addTab(buildGestures(), tr("In the timeline and the owners"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(tabs);
    layout->addWidget(buttons);
    resize(560, 520);
    fill();
    selectRow(0);
}

QWidget* KeysDialog::buildCommands() {
    auto* page = new QWidget(this);
    m_table = new QTableWidget(page);
    m_table->setColumnCount(2);
    m_table->setHorizontalHeaderLabels({tr("Command"), tr("Keys")});
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_table->setAccessibleName(tr("Commands and their keys"));
    m_edit = new QKeySequenceEdit(page);
    m_edit->setAccessibleName(tr("Keys of the selected command"));
    auto* none = new QPushButton(tr("None"), page);
    m_restore = new QPushButton(tr("Restore"), page);
    m_restore->setToolTip(tr("The key that it came with"));
    m_restoreAll = new QPushButton(tr("Restore all"), page);
    m_problem = new QLabel(page);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setWordWrap(true);
    auto* row = new QHBoxLayout;
    auto* label = new QLabel(tr("New &keys:"), page);
    label->setBuddy(m_edit);
    row->addWidget(label);
    row->addWidget(m_edit, 1);
    for (QPushButton* button : {none, m_restore, m_restoreAll}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    auto* layout = new QVBoxLayout(page);
    layout->addWidget(m_table, 1);
    layout->addLayout(row);
    layout->addWidget(m_problem);
    connect(m_table, &QTableWidget::currentCellChanged, this, [this] { follow(); });
    connect(m_edit, &QKeySequenceEdit::editingFinished, this, [this] {
        const QKeySequence typed = m_edit->keySequence();
        // One chord is a key; more of them would be a riddle.
        if (!typed.isEmpty()) choose(QKeySequence(typed[0]));
    });
    connect(none, &QPushButton::clicked, this, [this] { choose({}); });
    connect(m_restore, &QPushButton::clicked, this, &KeysDialog::restoreSelected);
    connect(m_restoreAll, &QPushButton::clicked, this, &KeysDialog::restoreAll);
    return page;
}

QWidget* KeysDialog::buildGestures() {
    auto* text =
        new QLabel(tr("<table cellpadding='3'>"
                      "<tr><td><b>drag</b></td><td>select a range</td></tr>"
                      "<tr><td><b>wheel; Ctrl and wheel</b></td><td>move; zoom at the mouse</td></tr>"
                      "<tr><td><b>Space and drag, middle button</b></td><td>move</td></tr>"
                      "<tr><td><b>W S</b></td><td>zoom in, out</td></tr>"
                      "<tr><td><b>A D</b></td><td>move</td></tr>"
                      "<tr><td><b>F</b></td><td>zoom to the selection; again: all</td></tr>"
                      "<tr><td><b>H, Home</b></td><td>the whole run</td></tr>"
                      "<tr><td><b>T</b></td><td>cursor to the mouse</td></tr>"
                      "<tr><td><b>P</b></td><td>the peak</td></tr>"
                      "<tr><td><b>[ ]</b></td><td>event before, next event</td></tr>"
                      "<tr><td><b>, .</b></td><td>owners: the buffer before, the next one</td></tr>"
                      "<tr><td><b>N, Shift+N</b></td><td>next finding, finding before</td></tr></table>"),
                   this);
    text->setTextFormat(Qt::RichText);
    text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    text->setMargin(8);
    return text;
}

void KeysDialog::fill() {
    const QList<QAction*>& actions = m_shortcuts.actions();
    m_table->setRowCount(static_cast<int>(actions.size()));
    for (int row = 0; row < m_table->rowCount(); ++row)
        fillRow(row);
    m_restoreAll->setEnabled(std::ranges::any_of(
        actions, [this](const QAction* action) { return m_shortcuts.isChosen(*action); }));
}

void KeysDialog::fillRow(int row) {
    const QAction& action = *m_shortcuts.actions()[row];
    const QString keys = QKeySequence::listToString(action.shortcuts(), QKeySequence::NativeText);
    QFont font = m_table->font();
    // What a person has changed is told apart.
    font.setBold(m_shortcuts.isChosen(action));
    int column = 0;
    for (const QString& text : {Shortcuts::nameOf(action), keys}) {
        auto* item = new QTableWidgetItem(text);
        item->setFont(font);
        m_table->setItem(row, column++, item);
    }
}

int KeysDialog::rowOf(const QString& command) const {
    const QList<QAction*>& actions = m_shortcuts.actions();
    const auto at = std::ranges::find_if(
        actions, [&](const QAction* action) { return Shortcuts::nameOf(*action) == command; });
    return at == actions.end() ? -1 : static_cast<int>(at - actions.begin());
}

void KeysDialog::selectRow(int row) {
    m_table->setCurrentCell(row, 0);
}

QAction* KeysDialog::selected() const {
    const int row = m_table->currentRow();
    return row < 0 ? nullptr : m_shortcuts.actions()[row];
}

void KeysDialog::follow() {
    m_problem->clear();
    const QAction* action = selected();
    m_edit->setKeySequence(action ? action->shortcut() : QKeySequence());
    m_restore->setEnabled(action && m_shortcuts.isChosen(*action));
}

void KeysDialog::choose(const QKeySequence& keys) {
    QAction* action = selected();
    if (!action || action->shortcuts() == QList<QKeySequence>{keys}) return;
    const QString other = m_shortcuts.takenBy(keys, *action);
    const bool isDone = m_shortcuts.choose(*action, keys);
    fill();
    follow();
    if (!isDone)
        m_problem->setText(tr("%1 belongs to: %2. Choose another, or give that one other keys first.")
                               .arg(keys.toString(QKeySequence::NativeText), other));
}

void KeysDialog::restoreSelected() {
    QAction* action = selected();
    if (!action) return;
    const bool isDone = m_shortcuts.restore(*action);
    fill();
    follow();
    if (!isDone) m_problem->setText(tr("Its keys belong to another command now. Restore that one first."));
}

void KeysDialog::restoreAll() {
    m_shortcuts.restoreAll();
    fill();
    follow();
}

QString KeysDialog::problem() const {
    return m_problem->text();
}

}  // namespace vramscope::gui
