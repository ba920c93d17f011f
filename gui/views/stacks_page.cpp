// SPDX-License-Identifier: Apache-2.0
#include "gui/views/stacks_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "gui/models/text.h"
#include "gui/models/text_table.h"

namespace vramscope::gui {

StacksPage::StacksPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_job(workspace.session().pool()) {
    m_form = new QComboBox(this);
    m_form->setAccessibleName(tr("How stacks are shown"));
    m_form->addItem(tr("Flame graph"), static_cast<int>(Form::Flame));
    m_form->addItem(tr("Table"), static_cast<int>(Form::Table));
    m_form->addItem(tr("Sandwich"), static_cast<int>(Form::Sandwich));
    m_form->setItemData(2, tr("Callers above and called functions below the one that you choose"),
                        Qt::ToolTipRole);
    m_metric = new QComboBox(this);
    m_metric->setAccessibleName(tr("What is added up"));
    m_metric->addItem(tr("live at the peak"), static_cast<int>(StackMetric::Peak));
    m_metric->addItem(tr("live at the cursor"), static_cast<int>(StackMetric::LiveAt));
    m_metric->addItem(tr("growth in the range"), static_cast<int>(StackMetric::Growth));
    m_metric->addItem(tr("never given back"), static_cast<int>(StackMetric::Held));
    m_metric->addItem(tr("all allocated"), static_cast<int>(StackMetric::Allocated));
    m_metric->addItem(tr("temporary"), static_cast<int>(StackMetric::Temporary));
    m_bottomUp = new QCheckBox(tr("Bottom up"), this);
    m_folds = new QCheckBox(tr("Without plumbing"), this);
    m_folds->setChecked(true);
    m_folds->setToolTip(
        tr("Leaves out frames of the driver, the CUDA runtime, allocators and the interpreter"));
    m_search = new QLineEdit(this);
    m_search->setPlaceholderText(tr("Search"));
    m_search->setToolTip(tr("Functions, files and libraries whose name holds this"));
    m_search->setClearButtonEnabled(true);
    m_search->setAccessibleName(tr("Search in stacks"));
    m_search->setMinimumWidth(64);
    m_search->setMaximumWidth(320);
    m_bottomUp->setToolTip(tr("Begins at the functions that allocated and goes out to their callers"));
    m_status = new QLabel(this);
    m_status->setTextFormat(Qt::PlainText);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 4, 8, 4);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_form, m_metric, m_bottomUp, m_folds}) {
        // Words are not cut; the search gives way.
        widget->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
        bar->addWidget(widget);
    }
    bar->addStretch();
    bar->addWidget(m_search, 1);
    m_flame = new FlameView;
    auto* scroll = new QScrollArea(this);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(m_flame);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_status->setContentsMargins(8, 3, 8, 3);
    m_table = new StackTable(this);
    m_table->setAccessibleName(tr("Stacks"));
    m_sandwich = new SandwichView(this);
    m_forms = new QStackedWidget(this);
    m_forms->addWidget(scroll);
    m_forms->addWidget(m_table);
    m_forms->addWidget(m_sandwich);
    m_page = new NoteOrContent(m_forms, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_page);
    layout->addWidget(m_status);

    connect(m_form, &QComboBox::currentIndexChanged, this, [this] {
        m_forms->setCurrentIndex(static_cast<int>(form()));
        m_bottomUp->setEnabled(form() != Form::Sandwich);
        m_search->setVisible(form() == Form::Flame);
        renew();
    });
    connect(m_metric, &QComboBox::currentIndexChanged, this, &StacksPage::renew);
    connect(m_bottomUp, &QCheckBox::toggled, this, &StacksPage::renew);
    connect(m_folds, &QCheckBox::toggled, this, &StacksPage::renew);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_flame->setSearch(text);
        describe();
    });
    const auto chooseNode = [this](int node) {
        chooseStack(m_tree->nodes[static_cast<std::size_t>(node)].stack);
    };
    connect(m_flame, &FlameView::nodeChosen, this, chooseNode);
    connect(m_table, &StackTable::nodeChosen, this, chooseNode);
    connect(m_sandwich, &SandwichView::stackChosen, this, &StacksPage::chooseStack);
    connect(&workspace, &Workspace::sourcesChanged, this, &StacksPage::renew);
    connect(&workspace.selection(), &SharedSelection::changed, this,
            [this](const Selection& now, const Selection& before) {
                const bool isOtherScope = now.filter != before.filter || now.process != before.process ||
                                          now.device != before.device || now.task != before.task;
                const bool isOtherTime = (metric() == StackMetric::LiveAt && now.timeNs != before.timeNs) ||
                                         (metric() == StackMetric::Growth && now.range != before.range);
                if (isOtherScope || isOtherTime || (now.page == Page::Stacks && !m_tree)) return renew();
                if (m_tree && now.stack != before.stack && !m_isChoosing) followStack(now.stack);
            });
    renew();
}

void StacksPage::chooseStack(model::StackId stack) {
    // Many nodes have the stack; the chosen one is marked already.
    m_isChoosing = true;
    m_workspace.selection().change([&](Selection& selection) { selection.stack = stack; });
    m_isChoosing = false;
}

void StacksPage::followStack(model::StackId stack) {
    const std::int32_t node = nodeOfStack(*m_tree, stack);
    switch (form()) {
        case Form::Flame:
            return m_flame->select(node);
        case Form::Table:
            return m_table->select(node);
        case Form::Sandwich:
            if (node > 0) {
                const StackTree::Node& chosen = m_tree->nodes[static_cast<std::size_t>(node)];
                m_sandwich->choose(chosen.function, chosen.library);
            }
            return;
    }
}

StacksPage::Form StacksPage::form() const {
    return static_cast<Form>(m_form->currentData().toInt());
}

void StacksPage::setForm(Form form) {
    m_form->setCurrentIndex(m_form->findData(static_cast<int>(form)));
}

StackMetric StacksPage::metric() const {
    return static_cast<StackMetric>(m_metric->currentData().toInt());
}

void StacksPage::setMetric(StackMetric metric) {
    m_metric->setCurrentIndex(m_metric->findData(static_cast<int>(metric)));
}

void StacksPage::renew() {
    if (!m_workspace.hasBuffers()) {
        m_job.cancel();
        m_tree.reset();
        showTree();
        return m_page->showNote(m_workspace.session().isOpen() ? tr("Reading the stacks ...")
                                                               : tr("No capture is open."));
    }
    StackQuestion question;
    question.metric = metric();
    question.timeNs = m_workspace.momentNs();
    question.range = m_workspace.now().range;
    question.endNs = m_workspace.session().endNs();
    question.isBottomUp = m_bottomUp->isChecked() && form() != Form::Sandwich;
    question.foldsPlumbing = m_folds->isChecked();
    if (question.metric == StackMetric::Growth && question.range.isEmpty())
        return m_page->showNote(tr("Select a range in the timeline first: drag over it."));
    m_job.start(
        [sources = m_workspace.sources(), filter = m_workspace.filter(), selection = m_workspace.now(),
         question](const Cancel& cancel) {
            return buildStackTree(sources, BufferFilter(sources, filter, selection), question, cancel);
        },
        [this](StackTree tree) { show(std::move(tree)); });
}

void StacksPage::show(StackTree tree) {
    m_tree = std::make_shared<const StackTree>(std::move(tree));
    showTree();
    followStack(m_workspace.now().stack);
    describe();
}

void StacksPage::showTree() {
    m_flame->setTree(form() == Form::Flame ? m_tree : nullptr);
    m_flame->setSearch(m_search->text());
    m_table->setTree(form() == Form::Table ? m_tree : nullptr);
    m_sandwich->setTree(form() == Form::Sandwich ? m_tree : nullptr);
}

void StacksPage::describe() {
    if (!m_tree || m_tree->nodes.empty() || m_tree->nodes.front().bytes == 0) {
        m_status->clear();
        return m_page->showNote(tr("Nothing to add up: no device memory was %1 that the filter lets through.")
                                    .arg(m_metric->currentText()));
    }
    m_page->showContent();
    QString text = tr("%1 in %2 buffers")
                       .arg(bytesText(m_tree->nodes.front().bytes), countText(m_tree->nodes.front().count));
    if (metric() == StackMetric::Peak || metric() == StackMetric::LiveAt)
        text += tr(" at %1").arg(timeText(m_tree->atNs));
    if (!m_search->text().isEmpty() && form() == Form::Flame)
        text = tr("%1 % match     ").arg(100 * m_flame->matchedShare(), 0, 'f', 1) + text;
    m_status->setText(text);
}

QString StacksPage::foldedText() const {
    QString text;
    if (!m_tree) return text;
    for (std::size_t i = 1; i < m_tree->nodes.size(); ++i) {
        const StackTree::Node& node = m_tree->nodes[i];
        if (node.selfBytes <= 0) continue;
        QStringList names;
        for (auto at = static_cast<std::int32_t>(i); at > 0;
             at = m_tree->nodes[static_cast<std::size_t>(at)].parent)
            names.prepend(toText(m_tree->nodes[static_cast<std::size_t>(at)].function)
                              .replace(QLatin1Char(';'), QLatin1Char(':')));
        text += names.join(QLatin1Char(';')) + QStringLiteral(" %1\n").arg(node.selfBytes);
    }
    return text;
}

QString StacksPage::asCsv() const {
    if (!m_tree) return {};
    TextTable table;
    table.heading = {tr("Depth"), tr("Function"),  tr("Place"),  tr("Library"),
                     tr("Bytes"), tr("Own bytes"), tr("Buffers")};
    for (const StackTree::Node& node : m_tree->nodes)
        table.rows.push_back({QString::number(node.depth), toText(node.function), toText(node.place),
                              toText(node.library), QString::number(node.bytes),
                              QString::number(node.selfBytes), QString::number(node.count)});
    return table.csv();
}

}  // namespace vramscope::gui
