// SPDX-License-Identifier: Apache-2.0
#include "gui/views/start_page.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QFileInfo>
#include <QFontDatabase>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

constexpr int kCardWidth = 620;

QLabel* plainLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

/// A line of a shell, with a button that copies it.
QWidget* commandLine(const QString& command, QWidget* parent) {
    auto* line = new QWidget(parent);
    auto* edit = new QLineEdit(command, line);
    edit->setReadOnly(true);
    edit->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    edit->setAccessibleName(QObject::tr("Command"));
    auto* copy = new QPushButton(QObject::tr("Copy"), line);
    QObject::connect(copy, &QPushButton::clicked, line,
                     [command] { QApplication::clipboard()->setText(command); });
    auto* layout = new QHBoxLayout(line);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(edit);
    layout->addWidget(copy);
    return line;
}

QFont larger(QFont font, double factor) {
    if (font.pixelSize() > 0)
        font.setPixelSize(static_cast<int>(font.pixelSize() * factor));
    else
        font.setPointSizeF(font.pointSizeF() * factor);
    font.setBold(true);
    return font;
}

}  // namespace

StartPage::StartPage(QWidget* parent) : QWidget(parent) {
    auto* column = new QWidget(this);
    column->setMaximumWidth(kCardWidth);
    auto* layout = new QVBoxLayout(column);
    layout->setSpacing(12);
    auto* title = plainLabel(tr("vramscope"), column);
    title->setFont(larger(font(), 1.8));
    layout->addWidget(title);
    layout->addWidget(
        plainLabel(tr("Who holds the GPU's memory, what leaked, and why nothing fits."), column));
    auto* open = new QPushButton(tr("Open ..."), column);
    open->setDefault(true);
    connect(open, &QPushButton::clicked, this, &StartPage::openWanted);
    layout->addWidget(card(tr("Open a capture"),
                           tr("Choose a .vramscope file, or drop one anywhere on this window."), open));
    layout->addWidget(card(tr("Record a program"), tr("Put this before the command of any CUDA program:"),
                           commandLine(QStringLiteral("vramscope run -- python train.py"), column)));
    layout->addWidget(card(tr("Try it without a GPU"),
                           tr("Records a small program that leaks, on a simulated device if need be:"),
                           commandLine(QStringLiteral("vramscope demo"), column)));
    auto* recent = new QWidget(column);
    m_recent = new QVBoxLayout(recent);
    m_recent->setContentsMargins(0, 0, 0, 0);
    m_recent->setSpacing(2);
    layout->addWidget(recent);
    auto* outer = new QVBoxLayout(this);
    outer->addStretch(1);
    auto* middle = new QHBoxLayout;
    middle->addStretch();
    middle->addWidget(column, 10);
    middle->addStretch();
    outer->addLayout(middle);
    outer->addStretch(2);
}

QWidget* StartPage::card(const QString& title, const QString& text, QWidget* below) {
    auto* frame = new QFrame(this);
    frame->setFrameShape(QFrame::StyledPanel);
    frame->setAutoFillBackground(true);
    frame->setBackgroundRole(QPalette::Base);
    auto* layout = new QVBoxLayout(frame);
    auto* heading = plainLabel(title, frame);
    heading->setFont(larger(font(), 1.15));
    layout->addWidget(heading);
    layout->addWidget(plainLabel(text, frame));
    if (qobject_cast<QPushButton*>(below)) {
        layout->addWidget(below, 0, Qt::AlignLeft);
    } else {
        layout->addWidget(below);
    }
    return frame;
}

void StartPage::setRecent(const QStringList& files) {
    while (QLayoutItem* item = m_recent->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
    if (files.isEmpty()) return;
    auto* heading = plainLabel(tr("Recent captures"), this);
    heading->setFont(larger(font(), 1.15));
    m_recent->addWidget(heading);
    for (const QString& file : files) {
        const QFileInfo info(file);
        auto* line = new QWidget(this);
        auto* layout = new QHBoxLayout(line);
        layout->setContentsMargins(0, 0, 0, 0);
        auto* open = new QPushButton(info.fileName(), line);
        open->setFlat(true);
        open->setToolTip(file);
        open->setEnabled(info.exists());
        open->setStyleSheet(QStringLiteral("text-align:left"));
        connect(open, &QPushButton::clicked, this, [this, file] { Q_EMIT fileChosen(file); });
        auto* forget = new QToolButton(line);
        forget->setText(QStringLiteral("✕"));
        forget->setAutoRaise(true);
        forget->setToolTip(tr("Remove from this list"));
        forget->setAccessibleName(tr("Remove %1 from the list").arg(info.fileName()));
        connect(forget, &QToolButton::clicked, this, [this, file] { Q_EMIT forgetWanted(file); });
        layout->addWidget(open, 1);
        layout->addWidget(plainLabel(
            info.exists() ? tr("%1   %2").arg(bytesText(info.size()), info.lastModified().toString(
                                                                          QStringLiteral("yyyy-MM-dd hh:mm")))
                          : tr("not there any more"),
            line));
        layout->addWidget(forget);
        m_recent->addWidget(line);
    }
}

ProblemPage::ProblemPage(QWidget* parent) : QWidget(parent) {
    m_title = plainLabel({}, this);
    m_title->setFont(larger(font(), 1.4));
    m_facts = plainLabel({}, this);
    m_why = plainLabel({}, this);
    m_rest = plainLabel({}, this);
    m_hint = plainLabel({}, this);
    for (QLabel* label : {m_title, m_facts, m_why, m_rest, m_hint}) {
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setFocusPolicy(Qt::StrongFocus);
    }
    m_salvage = new QPushButton(tr("Show what can be read"), this);
    m_salvage->hide();
    connect(m_salvage, &QPushButton::clicked, this, &ProblemPage::salvageWanted);
    auto* retry = new QPushButton(tr("Try again"), this);
    auto* other = new QPushButton(tr("Open another ..."), this);
    auto* copy = new QPushButton(tr("Copy the message"), this);
    connect(retry, &QPushButton::clicked, this, &ProblemPage::retryWanted);
    connect(other, &QPushButton::clicked, this, &ProblemPage::openWanted);
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(text()); });
    auto* buttons = new QHBoxLayout;
    for (QPushButton* button : {m_salvage, retry, other, copy})
        buttons->addWidget(button);
    buttons->addStretch();
    auto* column = new QVBoxLayout;
    column->setSpacing(10);
    for (QLabel* label : {m_title, m_facts, m_why, m_rest, m_hint})
        column->addWidget(label);
    column->addLayout(buttons);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(60, 40, 60, 40);
    outer->addStretch(1);
    outer->addLayout(column);
    outer->addStretch(2);
}

void ProblemPage::show(const QString& file, const QString& why) {
    const QFileInfo info(file);
    m_title->setText(tr("%1 cannot be shown").arg(info.fileName()));
    m_facts->setText(info.exists()
                         ? tr("%1, %2, changed %3")
                               .arg(info.absoluteFilePath(), bytesText(info.size()),
                                    info.lastModified().toString(QStringLiteral("yyyy-MM-dd hh:mm")))
                         : tr("%1 does not exist.").arg(info.absoluteFilePath()));
    m_why->setText(why);
    m_rest->clear();
    m_rest->hide();
    m_salvage->hide();
    m_hint->setText(
        tr("The file was not changed. If its recorder was killed, `vramscope recover` finishes it while its "
           "session is still there; "
           "a whole copy from where it was recorded is the best remedy for one that was cut."));
}

void ProblemPage::showGlimpse(const QStringList& facts) {
    if (facts.isEmpty()) return;
    m_facts->setText(m_facts->text() + QLatin1Char('\n') + facts.join(QStringLiteral("; ")));
}

void ProblemPage::offerSalvage(const QString& what) {
    m_rest->setText(what);
    m_rest->show();
    m_salvage->show();
    m_salvage->setFocus();
}

bool ProblemPage::offersSalvage() const {
    return m_salvage->isVisibleTo(this);
}

QString ProblemPage::text() const {
    QString text = m_title->text() + QLatin1Char('\n') + m_facts->text() + QLatin1Char('\n') + m_why->text();
    if (!m_rest->text().isEmpty()) text += QLatin1Char('\n') + m_rest->text();
    return text;
}

}  // namespace vramscope::gui
