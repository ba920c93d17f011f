// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include "gui/models/workspace.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;

namespace vramscope::gui {

/// Scope and filter of the selection: process, device, the filter as text, and a chip for each thing that
/// narrows what is shown.
class FilterBar : public QWidget {
    Q_OBJECT

public:
    explicit FilterBar(Workspace& workspace, QWidget* parent = nullptr);

    void focusFilter();
    /// What is wrong with the text that was typed; empty when it is understood.
    QString problem() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fillScope();
    void follow(const Selection& selection);
    void apply();
    void renewChips();
    void addChip(const QString& text, std::function<void(Selection&)> remove);

    Workspace& m_workspace;
    QComboBox* m_process;
    QComboBox* m_device;
    QLineEdit* m_edit;
    QLabel* m_problem;
    QHBoxLayout* m_chips;
    QString m_typed;  ///< the filter as it came of typing that goes on
};

}  // namespace vramscope::gui
