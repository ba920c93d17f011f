// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <functional>

namespace vramscope::gui {

/// A page that shows its content or, where there is none, a sentence that says why and a way on.
class NoteOrContent : public QStackedWidget {
    Q_OBJECT

public:
    /// Takes `content`.
    explicit NoteOrContent(QWidget* content, QWidget* parent = nullptr);

    void showContent();
    /// `action` is done by a button with the text `actionText`; without a text there is none.
    void showNote(const QString& text, const QString& actionText = {}, std::function<void()> action = {});
    /// The sentence that is shown, or "" with the content.
    QString note() const;

private:
    QLabel* m_label;
    QPushButton* m_button;
    std::function<void()> m_action;
};

}  // namespace vramscope::gui
