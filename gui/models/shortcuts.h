// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QString>
#include <map>

class QSettings;

namespace vramscope::gui {

/// The keys of the window's commands: those that we gave, and those that a person chose instead, which are
/// kept in the settings.
class Shortcuts {
public:
    /// `settings` outlives it; null keeps nothing beyond this window.
    explicit Shortcuts(QSettings* settings) : m_settings(settings) {}

    /// Takes an action in, which outlives it, with the keys that we give it; gives it the chosen one instead
    /// where there is one.
    void adopt(QAction& action, const QList<QKeySequence>& keys);
    const QList<QAction*>& actions() const { return m_actions; }

    /// Who has these keys already: the name of another command, or what views do with them. Empty when they
    /// are free.
    QString takenBy(const QKeySequence& keys, const QAction& exceptFor) const;
    /// Gives an action these keys; none takes its own away. False, and nothing is changed, where they are
    /// taken.
    bool choose(QAction& action, const QKeySequence& keys);
    bool isChosen(const QAction& action) const;
    /// Our own keys again. They may have been given to another command meanwhile: false then.
    bool restore(QAction& action);
    void restoreAll();

    /// "Open ..." without the mark of the menu's letter.
    static QString nameOf(const QAction& action);

private:
    void keep(const QAction& action);

    QSettings* m_settings;
    QList<QAction*> m_actions;
    std::map<const QAction*, QList<QKeySequence>> m_ours;
};

}  // namespace vramscope::gui
