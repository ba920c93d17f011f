// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QList>

class QAction;
class QLineEdit;
class QListWidget;

namespace vramscope::gui {

/// Every action of the window by a few letters of its name.
class CommandPalette : public QDialog {
    Q_OBJECT

public:
    /// The actions outlive the dialog; those that are disabled are left out.
    CommandPalette(const QList<QAction*>& actions, QWidget* parent);

    /// Names that fit what was typed, best first.
    QStringList shown() const;
    void setText(const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void renew(const QString& text);
    void run();

    QList<QAction*> m_actions;
    QLineEdit* m_edit;
    QListWidget* m_list;
};

}  // namespace vramscope::gui
