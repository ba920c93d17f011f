// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <functional>

class QLabel;
class QPushButton;

namespace vramscope::gui {

/// A sentence above the views that says what is special about what they show, with a way on. Hidden while
/// there is none.
class NoticeBar : public QFrame {
    Q_OBJECT

public:
    explicit NoticeBar(QWidget* parent = nullptr);

    /// `action` is done by a button with the text `actionText`; without a text there is none.
    void tell(const QString& text, const QString& actionText = {}, std::function<void()> action = {});
    void clear();
    /// What is told; empty while hidden.
    QString text() const;

private:
    QLabel* m_label;
    QPushButton* m_button;
    std::function<void()> m_action;
};

}  // namespace vramscope::gui
