// SPDX-License-Identifier: Apache-2.0
#include "gui/views/sql_page.h"

#include <QComboBox>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include "gui/models/text.h"

namespace vramscope::gui {
namespace {

constexpr std::size_t kMostRows = 10'000;

struct Example {
    const char* title;
    const char* sql;
};

constexpr std::array<Example, 7> kExamples{
    {{QT_TRANSLATE_NOOP("SqlPage", "Bytes by kind"),
      "SELECT kind, count(*) AS buffers, sum(size_bytes) AS bytes\nFROM buffers\nGROUP BY kind ORDER BY "
      "bytes DESC"},
     {QT_TRANSLATE_NOOP("SqlPage", "Largest buffers"),
      "SELECT buffer_id, size_bytes, api, alloc_ns, free_ns\nFROM buffers\nORDER BY size_bytes DESC LIMIT "
      "100"},
     {QT_TRANSLATE_NOOP("SqlPage", "Stacks that kept most"),
      "SELECT alloc_stack_id, count(*) AS buffers, sum(size_bytes) AS bytes\nFROM buffers\nWHERE free_ns IS "
      "NULL OR end_kind = 'process-ended'\nGROUP BY alloc_stack_id ORDER BY bytes DESC LIMIT 100"},
     {QT_TRANSLATE_NOOP("SqlPage", "What the driver reported"),
      "SELECT time_ns, device_id, used_bytes, job_bytes\nFROM memory_samples ORDER BY time_ns"},
     {QT_TRANSLATE_NOOP("SqlPage", "Calls that failed"),
      "SELECT api, error_name, repeat_count, enter_ns, size_bytes\nFROM failed_calls ORDER BY enter_ns"},
     {QT_TRANSLATE_NOOP("SqlPage", "First launches"), "SELECT * FROM launches LIMIT 100"},
     {QT_TRANSLATE_NOOP("SqlPage", "All tables"),
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name"}}};

}  // namespace

SqlPage::SqlPage(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_job(workspace.session().pool()) {
    m_examples = new QComboBox(this);
    m_examples->setAccessibleName(tr("Examples"));
    m_examples->addItem(tr("Examples"));
    for (const Example& example : kExamples)
        m_examples->addItem(tr(example.title), QString::fromLatin1(example.sql));
    m_edit = new QPlainTextEdit(this);
    m_edit->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_edit->setPlainText(QString::fromLatin1(kExamples.front().sql));
    m_edit->setAccessibleName(tr("SQL"));
    m_edit->setTabChangesFocus(true);
    m_run = new QPushButton(tr("Run"), this);
    m_run->setToolTip(tr("Ctrl+Return. The capture is opened read-only."));
    m_status = new QLabel(this);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setWordWrap(true);
    m_table = new QTableView(this);
    m_table->setModel(&m_model);
    m_table->setAccessibleName(tr("Rows"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setAlternatingRowColors(true);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 4, 8, 4);
    bar->addWidget(m_examples);
    bar->addWidget(m_run);
    bar->addWidget(m_status, 1);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->addWidget(m_edit);
    splitter->addWidget(m_table);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 3);
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(splitter);
    connect(m_examples, &QComboBox::activated, this, [this](int index) {
        if (index > 0) m_edit->setPlainText(m_examples->itemData(index).toString());
    });
    connect(m_run, &QPushButton::clicked, this, &SqlPage::runEdited);
    connect(m_table, &QTableView::doubleClicked, this, &SqlPage::followCell);
    connect(&workspace.session(), &Session::opened, this, [this] {
        m_job.cancel();
        m_run->setText(tr("Run"));
        m_model.setResult({});
        m_status->setText(
            tr("Read-only. docs/capture-format.md has every table; double click a buffer, stack or time to "
               "go there."));
    });
    auto* enter = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), this);
    enter->setContext(Qt::WidgetWithChildrenShortcut);
    connect(enter, &QShortcut::activated, this, &SqlPage::runEdited);
}

QString SqlPage::status() const {
    return m_status->text();
}

void SqlPage::run(const QString& sql) {
    m_edit->setPlainText(sql);
    runEdited();
}

void SqlPage::runEdited() {
    if (m_job.isBusy()) {
        m_job.cancel();
        m_run->setText(tr("Run"));
        return m_status->setText(tr("Cancelled."));
    }
    if (!m_workspace.session().isOpen()) return m_status->setText(tr("No capture is open."));
    m_run->setText(tr("Cancel"));
    m_status->setText(tr("Running ..."));
    m_job.start([path = m_workspace.session().readablePath(), sql = m_edit->toPlainText()](
                    const Cancel& cancel) { return runQuery(path, sql, kMostRows, cancel); },
                [this](QueryResult result) {
                    m_run->setText(tr("Run"));
                    const auto count = countText(static_cast<std::int64_t>(result.rows.size()));
                    m_status->setText(!result.problem.isEmpty() ? result.problem
                                      : result.isCut ? tr("The first %1 rows; there are more.").arg(count)
                                                     : tr("%1 rows").arg(count));
                    m_model.setResult(std::move(result));
                    m_table->resizeColumnsToContents();
                });
}

void SqlPage::followCell(const QModelIndex& index) {
    const QString column = m_model.headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString();
    bool isNumber = false;
    const qlonglong value = index.data().toLongLong(&isNumber);
    if (!isNumber) return;
    m_workspace.selection().change([&](Selection& selection) {
        if (column.endsWith(QLatin1String("buffer_id"))) {
            selection.buffer = {value};
            selection.page = Page::Buffers;
        } else if (column.endsWith(QLatin1String("stack_id"))) {
            selection.stack = {value};
            selection.page = Page::Stacks;
        } else if (column.endsWith(QLatin1String("_ns"))) {
            selection.timeNs = value;
        }
    });
}

QWidget& SqlPage::pictured() {
    return *m_table;
}

QString SqlPage::asText() const {
    if (m_model.columnCount() == 0) return {};
    return m_edit->toPlainText() + QStringLiteral("\n\n") + tableOf(m_model, kMostTextRows, false).aligned();
}

}  // namespace vramscope::gui
