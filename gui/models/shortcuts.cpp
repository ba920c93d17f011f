// SPDX-License-Identifier: Apache-2.0
#include "gui/models/shortcuts.h"

#include <QCoreApplication>
#include <QSettings>
#include <algorithm>

namespace vramscope::gui {
namespace {

/// Keys of views, which hold while one of them has the focus and would never reach a command.
const char* const kKeysOfViews[] = {"W",      "S",     "A",    "D",     "F",  "H",    "T",    "P",
                                    "N",      "[",     "]",    ",",     ".",  "?",    "Home", "Space",
                                    "Return", "Enter", "Left", "Right", "Up", "Down", "Tab",  "Shift+N"};

QString settingOf(const QAction& action) {
    // A slash would make groups of it.
    return QStringLiteral("keys/") + Shortcuts::nameOf(action).replace(QLatin1Char('/'), QLatin1Char(' '));
}

bool clash(const QKeySequence& a, const QKeySequence& b) {
    return !a.isEmpty() && !b.isEmpty() &&
           (a.matches(b) != QKeySequence::NoMatch || b.matches(a) != QKeySequence::NoMatch);
}

}  // namespace

QString Shortcuts::nameOf(const QAction& action) {
    QString name = action.text();
    return name.remove(QLatin1Char('&'));
}

void Shortcuts::adopt(QAction& action, const QList<QKeySequence>& keys) {
    m_actions.append(&action);
    m_ours[&action] = keys;
    action.setShortcuts(keys);
    if (!m_settings || !m_settings->contains(settingOf(action))) return;
    const QString chosen = m_settings->value(settingOf(action)).toString();
    action.setShortcut(QKeySequence::fromString(chosen, QKeySequence::PortableText));
}

QString Shortcuts::takenBy(const QKeySequence& keys, const QAction& exceptFor) const {
    if (keys.isEmpty()) return {};
    for (const char* const key : kKeysOfViews) {
        if (clash(keys, QKeySequence(QLatin1String(key))))
            return QCoreApplication::translate("Shortcuts", "the views, such as the timeline");
    }
    for (const QAction* action : m_actions) {
        if (action == &exceptFor) continue;
        const QList<QKeySequence> theirs = action->shortcuts();
        if (std::ranges::any_of(theirs, [&](const QKeySequence& other) { return clash(keys, other); }))
            return nameOf(*action);
    }
    return {};
}

bool Shortcuts::isChosen(const QAction& action) const {
    const auto ours = m_ours.find(&action);
    return ours != m_ours.end() && action.shortcuts() != ours->second;
}

bool Shortcuts::choose(QAction& action, const QKeySequence& keys) {
    if (!takenBy(keys, action).isEmpty()) return false;
    action.setShortcuts(keys.isEmpty() ? QList<QKeySequence>() : QList<QKeySequence>{keys});
    keep(action);
    return true;
}

bool Shortcuts::restore(QAction& action) {
    const QList<QKeySequence>& ours = m_ours.at(&action);
    if (std::ranges::any_of(ours, [&](const QKeySequence& keys) { return !takenBy(keys, action).isEmpty(); }))
        return false;
    action.setShortcuts(ours);
    keep(action);
    return true;
}

void Shortcuts::restoreAll() {
    for (QAction* action : m_actions) {
        action->setShortcuts(m_ours.at(action));
        keep(*action);
    }
}

void Shortcuts::keep(const QAction& action) {
    if (!m_settings) return;
    if (isChosen(action))
        m_settings->setValue(settingOf(action), action.shortcut().toString(QKeySequence::PortableText));
    else
        m_settings->remove(settingOf(action));
}

}  // namespace vramscope::gui
