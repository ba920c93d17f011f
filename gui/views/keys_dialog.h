// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>

#include "gui/models/shortcuts.h"

class QKeySequenceEdit;
class QLabel;
class QPushButton;
class QTableWidget;

namespace vramscope::gui {

/// All keys: those of the commands, which can be changed here, and those of the time line, which cannot.
class KeysDialog : public QDialog {
    Q_OBJECT

public:
    /// `shortcuts` outlives the dialog.
    KeysDialog(Shortcuts& shortcuts, QWidget* parent);

    /// The row of a command; -1 when there is none.
    int rowOf(const QString& command) const;
    void selectRow(int row);
    /// Gives the selected command these keys, as typing them does.
    void choose(const QKeySequence& keys);
    void restoreSelected();
    void restoreAll();
    /// What is in the way of the latest choice; empty when it was taken over.
    QString problem() const;

private:
    QWidget* buildCommands();
    QWidget* buildGestures();
    QAction* selected() const;
    void fill();
    void fillRow(int row);
    void follow();

    Shortcuts& m_shortcuts;
    QTableWidget* m_table;
    QKeySequenceEdit* m_edit;
    QPushButton* m_restore;
    QPushButton* m_restoreAll;
    QLabel* m_problem;
};

}  // namespace vramscope::gui
