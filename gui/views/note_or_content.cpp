// SPDX-License-Identifier: Apache-2.0
#include "gui/views/note_or_content.h"

#include <QVBoxLayout>

namespace vramscope::gui {

NoteOrContent::NoteOrContent(QWidget* content, QWidget* parent) : QStackedWidget(parent) {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    m_label = new QLabel(page);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setWordWrap(true);
    m_label->setAlignment(Qt::AlignCenter);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_label->setFocusPolicy(Qt::StrongFocus);
    m_label->setMinimumWidth(120);
    m_button = new QPushButton(page);
    layout->addStretch();
    layout->addWidget(m_label);
    layout->addWidget(m_button, 0, Qt::AlignHCenter);
    layout->addStretch();
    addWidget(page);
    addWidget(content);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_action) m_action();
    });
    showNote({});
}

void NoteOrContent::showContent() {
    m_label->clear();
    setCurrentIndex(1);
}

void NoteOrContent::showNote(const QString& text, const QString& actionText, std::function<void()> action) {
    m_label->setText(text);
    m_label->setAccessibleName(text);
    m_action = std::move(action);
    m_button->setText(actionText);
    m_button->setVisible(!actionText.isEmpty());
    setCurrentIndex(0);
}

QString NoteOrContent::note() const {
    return m_label->text();
}

}  // namespace vramscope::gui
