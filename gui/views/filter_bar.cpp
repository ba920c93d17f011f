// SPDX-License-Identifier: Apache-2.0
#include "gui/views/filter_bar.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStringListModel>
#include <QToolButton>

#include "gui/models/text.h"

namespace vramscope::gui {

FilterBar::FilterBar(Workspace& workspace, QWidget* parent) : QWidget(parent), m_workspace(workspace) {
    m_process = new QComboBox(this);
    m_process->setAccessibleName(tr("Process"));
    m_device = new QComboBox(this);
    m_device->setAccessibleName(tr("Device"));
    m_edit = new QLineEdit(this);
    m_edit->setPlaceholderText(tr("Filter:  size>1M kind:async stack~attention is:held"));
    m_edit->setToolTip(filterHelp());
    m_edit->setClearButtonEnabled(true);
    m_edit->setAccessibleName(tr("Filter"));
    m_problem = new QLabel(this);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->hide();
    m_chips = new QHBoxLayout;
    m_chips->setSpacing(4);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 2, 6, 2);
    layout->addWidget(m_process);
    layout->addWidget(m_device);
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_problem);
    layout->addLayout(m_chips);

    auto* words = new QStringListModel(this);
    auto* completer = new QCompleter(words, this);
    completer->setWidget(m_edit);
    completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    connect(completer, qOverload<const QString&>(&QCompleter::activated), this, [this](const QString& word) {
        const int end = m_edit->cursorPosition();
        const int begin = static_cast<int>(m_edit->text().left(end).lastIndexOf(QLatin1Char(' '))) + 1;
        m_edit->setText(m_edit->text().left(begin) + word + m_edit->text().mid(end));
        m_edit->setCursorPosition(begin + static_cast<int>(word.size()));
        apply();
    });
    connect(m_edit, &QLineEdit::textEdited, this, [this, words, completer](const QString& text) {
        const QString word = text.left(m_edit->cursorPosition()).section(QLatin1Char(' '), -1);
        const QStringList offers = word.isEmpty() ? QStringList() : filterCompletions(word);
        words->setStringList(offers);
        offers.isEmpty() ? completer->popup()->hide() : completer->complete();
        apply();
    });
    connect(m_edit, &QLineEdit::returnPressed, this, [this] {
        apply();
        m_typed.clear();
    });
    m_edit->installEventFilter(this);
    connect(m_process, &QComboBox::activated, this, [this] {
        const model::ProcessId id{m_process->currentData().toLongLong()};
        m_workspace.selection().change([&](Selection& selection) { selection.process = id; });
    });
    connect(m_device, &QComboBox::activated, this, [this] {
        const model::DeviceId id{m_device->currentData().toLongLong()};
        m_workspace.selection().change([&](Selection& selection) { selection.device = id; });
    });
    connect(&workspace, &Workspace::sourcesChanged, this, &FilterBar::fillScope);
    connect(&workspace.selection(), &SharedSelection::changed, this,
            [this](const Selection& now) { follow(now); });
    fillScope();
}

void FilterBar::focusFilter() {
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

QString FilterBar::problem() const {
    return m_problem->isVisibleTo(this) ? m_problem->text() : QString();
}

void FilterBar::fillScope() {
    m_process->clear();
    m_device->clear();
    m_process->addItem(tr("All processes"), -1);
    m_device->addItem(tr("All devices"), -1);
    if (m_workspace.hasBuffers()) {
        const model::Capture& facts = m_workspace.sources().stacks->facts();
        for (const model::Process& process : facts.processes) {
            const QString rank = process.rank ? tr(", rank %1").arg(*process.rank) : QString();
            m_process->addItem(
                tr("%1 (%2%3)").arg(toText(facts.programName(process.id))).arg(process.pid).arg(rank),
                static_cast<qlonglong>(process.id.value));
        }
        for (const model::Device& device : facts.devices)
            m_device->addItem(tr("GPU %1  %2").arg(device.id.value).arg(toText(device.name)),
                              static_cast<qlonglong>(device.id.value));
    }
    m_process->setVisible(m_process->count() > 2);
    m_device->setVisible(m_device->count() > 2);
    setEnabled(m_workspace.hasBuffers());
    follow(m_workspace.now());
}

void FilterBar::follow(const Selection& selection) {
    if (m_edit->text() != selection.filter &&
        parseFilter(m_edit->text()).terms != parseFilter(selection.filter).terms)
        m_edit->setText(selection.filter);
    m_process->setCurrentIndex(
        std::max(m_process->findData(static_cast<qlonglong>(selection.process.value)), 0));
    m_device->setCurrentIndex(
        std::max(m_device->findData(static_cast<qlonglong>(selection.device.value)), 0));
    renewChips();
}

void FilterBar::apply() {
    const ParsedFilter parsed = parseFilter(m_edit->text());
    m_problem->setVisible(!parsed.isOk());
    m_problem->setText(parsed.problem);
    if (!parsed.isOk()) return;
    Selection selection = m_workspace.now();
    const bool wasTyping = !m_typed.isEmpty() && m_typed == selection.filter && !m_edit->text().isEmpty();
    selection.filter = m_typed = m_edit->text();
    if (selection == m_workspace.now()) return;
    if (!wasTyping) return m_workspace.selection().set(selection);
    // Each letter is no step of the history.
    m_workspace.filterHistory().joinNext();
    m_workspace.selection().amend(selection);
}

bool FilterBar::eventFilter(QObject* watched, QEvent* event) {
    // Where nothing is typed that is not in force, "undo" means the filter and not the letters.
    if (watched == m_edit && event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Undo) && m_problem->isHidden()) {
        event->ignore();
        return true;
    }
    // What is offered while one types takes the focus for a moment.
    if (watched == m_edit && event->type() == QEvent::FocusOut &&
        static_cast<QFocusEvent*>(event)->reason() != Qt::PopupFocusReason)
        m_typed.clear();
    return QWidget::eventFilter(watched, event);
}

void FilterBar::addChip(const QString& text, std::function<void(Selection&)> remove) {
    auto* chip = new QToolButton(this);
    chip->setText(text + QStringLiteral("  ✕"));
    chip->setToolTip(tr("Remove"));
    chip->setAccessibleName(tr("Remove %1").arg(text));
    connect(chip, &QToolButton::clicked, this,
            [this, remove = std::move(remove)] { m_workspace.selection().change(remove); });
    m_chips->addWidget(chip);
}

void FilterBar::renewChips() {
    while (QLayoutItem* item = m_chips->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    const Selection& now = m_workspace.now();
    if (!m_workspace.hasBuffers()) return;
    const model::Capture& facts = m_workspace.sources().stacks->facts();
    if (!now.range.isEmpty())
        addChip(tr("range %1").arg(durationText(now.range.lengthNs())), [](Selection& s) { s.range = {}; });
    if (!now.process.isNone()) {
        const model::Process* process = facts.processes.find(now.process);
        addChip(tr("pid %1").arg(process ? process->pid : 0), [](Selection& s) { s.process = {}; });
    }
    if (!now.device.isNone())
        addChip(tr("GPU %1").arg(now.device.value), [](Selection& s) { s.device = {}; });
    if (!now.task.isNone()) addChip(toText(facts.taskName(now.task)), [](Selection& s) { s.task = {}; });
    for (const FilterTerm& term : m_workspace.filter().terms) {
        const QString word = now.filter.mid(term.position, term.length);
        addChip(word.size() > 28 ? word.left(27) + QStringLiteral("…") : word, [term](Selection& s) {
            s.filter = s.filter.remove(term.position, term.length).simplified();
        });
    }
}

}  // namespace vramscope::gui
