// SPDX-License-Identifier: Apache-2.0
#include "gui/views/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

namespace vramscope::gui {
namespace {

QString nameOf(const QAction& action) {
    QString name = action.text();
    name.remove(QLatin1Char('&'));
    return name;
}

/// True when the letters of `typed` come in this order.
bool fits(const QString& name, const QString& typed) {
    qsizetype at = 0;
    for (const QChar c : typed) {
        if (c.isSpace()) continue;
        at = name.indexOf(c, at, Qt::CaseInsensitive);
        if (at < 0) return false;
        ++at;
    }
    return true;
}

}  // namespace

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint), m_actions(actions) {
    setAccessibleName(tr("Commands"));
    m_edit = new QLineEdit(this);
    m_edit->setPlaceholderText(tr("Type a command"));
    m_edit->setAccessibleName(tr("Command"));
    m_list = new QListWidget(this);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(m_edit);
    layout->addWidget(m_list);
    resize(520, 360);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, &CommandPalette::renew);
    connect(m_edit, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::run);
    renew({});
    m_edit->setFocus();
}

void CommandPalette::setText(const QString& text) {
    m_edit->setText(text);
}

void CommandPalette::renew(const QString& text) {
    m_list->clear();
    for (const bool isBest : {true, false}) {
        for (int i = 0; i < m_actions.size(); ++i) {
            const QString name = nameOf(*m_actions[i]);
            if (!m_actions[i]->isEnabled() || name.isEmpty() || !fits(name, text)) continue;
            if (name.contains(text, Qt::CaseInsensitive) != isBest) continue;
            const QString keys = m_actions[i]->shortcut().toString(QKeySequence::NativeText);
            auto* item =
                new QListWidgetItem(keys.isEmpty() ? name : name + QStringLiteral("    ") + keys, m_list);
            item->setData(Qt::UserRole, i);
        }
    }
    m_list->setCurrentRow(0);
}

QStringList CommandPalette::shown() const {
    QStringList names;
    for (int row = 0; row < m_list->count(); ++row)
        names.append(nameOf(*m_actions[m_list->item(row)->data(Qt::UserRole).toInt()]));
    return names;
}

void CommandPalette::run() {
    const QListWidgetItem* item = m_list->currentItem();
    if (!item) return;
    QAction* action = m_actions[item->data(Qt::UserRole).toInt()];
    accept();
    action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_edit || event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key != Qt::Key_Up && key != Qt::Key_Down) return false;
    const int count = m_list->count();
    if (count > 0)
        m_list->setCurrentRow((m_list->currentRow() + (key == Qt::Key_Down ? 1 : count - 1)) % count);
    return true;
}

}  // namespace vramscope::gui
