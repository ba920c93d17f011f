// SPDX-License-Identifier: Apache-2.0
#include "gui/views/notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace vramscope::gui {

NoticeBar::NoticeBar(QWidget* parent) : QFrame(parent) {
    setFrameShape(QFrame::NoFrame);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::ToolTipBase);
    m_label = new QLabel(this);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setWordWrap(true);
    m_label->setForegroundRole(QPalette::ToolTipText);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_label->setFocusPolicy(Qt::StrongFocus);
    m_button = new QPushButton(this);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 5, 8, 5);
    layout->addWidget(m_label, 1);
    layout->addWidget(m_button);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_action) m_action();
    });
    hide();
}

void NoticeBar::tell(const QString& text, const QString& actionText, std::function<void()> action) {
    m_label->setText(text);
    m_label->setAccessibleName(text);
    m_button->setText(actionText);
    m_button->setVisible(!actionText.isEmpty());
    m_action = std::move(action);
    show();
}

void NoticeBar::clear() {
    m_label->clear();
    hide();
}

QString NoticeBar::text() const {
    return m_label->text();
}

}  // namespace vramscope::gui
