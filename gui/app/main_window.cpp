// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolBar>

#include "gui/models/text.h"
#include "gui/views/address_map_page.h"
#include "gui/views/buffers_page.h"
#include "gui/views/compare_page.h"
#include "gui/views/events_page.h"
#include "gui/views/filter_bar.h"
#include "gui/views/finding_list.h"
#include "gui/views/finding_page.h"
#include "gui/views/inspector.h"
#include "gui/views/overview_page.h"
#include "gui/views/owners_page.h"
#include "gui/views/sql_page.h"
#include "gui/views/stacks_page.h"
#include "gui/views/start_page.h"
#include "gui/views/timeline_panel.h"

namespace vramscope::gui {
namespace {

constexpr int kLayoutVersion = 1;
constexpr int kMostRecent = 8;

}  // namespace

MainWindow::MainWindow(QSettings* settings, QWidget* parent) : QMainWindow(parent), m_settings(settings) {
    setWindowTitle(tr("vramscope"));
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
    resize(1280, 800);
    buildCentre();
    buildDocks();
    buildActions();
    buildStatus();
    connectSession();
    m_firstLayout = saveState(kLayoutVersion);
    m_layout = m_firstLayout;
    restoreLayout();
    showMode(Mode::Start);
    showRecent();
}

MainWindow::~MainWindow() {
    // Views first: they use the workspace, which is a member and would go before them.
    m_workspace.session().disconnect(this);
    m_workspace.selection().disconnect(this);
    m_workspace.disconnect(this);
    delete m_filterBar;
    qDeleteAll(m_docks);
    delete takeCentralWidget();
}

void MainWindow::buildCentre() {
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    m_overview = new OverviewPage(m_workspace);
    m_finding = new FindingPage(m_workspace);
    m_buffers = new BuffersPage(m_workspace);
    m_stacks = new StacksPage(m_workspace);
    m_addressMap = new AddressMapPage(m_workspace);
    m_owners = new OwnersPage(m_workspace);
    m_events = new EventsPage(m_workspace);
    m_compare = new ComparePage(m_workspace);
    m_sql = new SqlPage(m_workspace);
    // In the order of Page.
    m_tabs->addTab(m_overview, tr("Overview"));
    m_tabs->addTab(m_finding, tr("Finding"));
    m_tabs->addTab(m_buffers, tr("Buffers"));
    m_tabs->addTab(m_stacks, tr("Stacks"));
    m_tabs->addTab(m_addressMap, tr("Address map"));
    m_tabs->addTab(m_owners, tr("Owners"));
    m_tabs->addTab(m_events, tr("Events"));
    m_tabs->addTab(m_compare, tr("Compare"));
    m_tabs->addTab(m_sql, tr("SQL"));
    m_start = new StartPage;
    m_problem = new ProblemPage;
    m_centre = new QStackedWidget(this);
    m_centre->addWidget(m_start);
    m_centre->addWidget(m_problem);
    m_centre->addWidget(m_tabs);
    setCentralWidget(m_centre);
    connect(m_tabs, &QTabWidget::currentChanged, this, [this](int index) {
        m_workspace.selection().change(
            [&](Selection& selection) { selection.page = static_cast<Page>(index); });
    });
    connect(m_start, &StartPage::openWanted, this, &MainWindow::chooseFile);
    connect(m_start, &StartPage::fileChosen, this, [this](const QString& file) { openFile(file); });
    connect(m_start, &StartPage::forgetWanted, this, [this](const QString& file) {
        QStringList files = recentFiles();
        files.removeAll(file);
        if (m_settings) m_settings->setValue(QStringLiteral("recent"), files);
        showRecent();
    });
    connect(m_problem, &ProblemPage::openWanted, this, &MainWindow::chooseFile);
    connect(m_problem, &ProblemPage::retryWanted, this, [this] { openFile(m_file); });
    connect(m_compare, &ComparePage::fileWanted, this, &MainWindow::chooseComparison);
}

void MainWindow::buildDocks() {
    const auto dock = [this](const QString& name, const QString& title, QWidget* widget,
                             Qt::DockWidgetArea area) {
        auto* result = new QDockWidget(title, this);
        result->setObjectName(name);
        result->setWidget(widget);
        addDockWidget(area, result);
        m_docks.append(result);
        return result;
    };
    m_findings = new FindingList(m_workspace);
    m_timeline = new TimelinePanel(m_workspace);
    m_inspector = new Inspector(m_workspace);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    QDockWidget* left = dock(QStringLiteral("findings"), tr("Findings"), m_findings, Qt::LeftDockWidgetArea);
    QDockWidget* right =
        dock(QStringLiteral("inspector"), tr("Inspector"), m_inspector, Qt::RightDockWidgetArea);
    QDockWidget* bottom =
        dock(QStringLiteral("timeline"), tr("Timeline"), m_timeline, Qt::BottomDockWidgetArea);
    resizeDocks({left, right}, {220, 320}, Qt::Horizontal);
    resizeDocks({bottom}, {270}, Qt::Vertical);
    connect(m_timeline, &TimelinePanel::bookmarkWanted, this, &MainWindow::addBookmark);
}

void MainWindow::buildStatus() {
    m_status = new QLabel(this);
    m_message = new QLabel(this);
    for (QLabel* label : {m_status, m_message})
        label->setTextFormat(Qt::PlainText);
    m_progress = new QProgressBar(this);
    m_progress->setRange(0, 0);
    m_progress->setMaximumWidth(120);
    m_progress->setAccessibleName(tr("Loading"));
    m_cancel = new QPushButton(tr("Cancel"), this);
    m_cancel->setFlat(true);
    connect(m_cancel, &QPushButton::clicked, &m_workspace.session(), &Session::cancel);
    statusBar()->addWidget(m_status);
    statusBar()->addPermanentWidget(m_message);
    statusBar()->addPermanentWidget(m_progress);
    statusBar()->addPermanentWidget(m_cancel);
    describe();
}

void MainWindow::connectSession() {
    Session& session = m_workspace.session();
    connect(&session, &Session::opened, this, [this] { showMode(Mode::Pages); });
    connect(&session, &Session::closed, this, [this] {
        showMode(Mode::Start);
        setWindowTitle(tr("vramscope"));
    });
    connect(&session, &Session::previewReady, this, [this] {
        rememberFile(m_file);
        describe();
    });
    connect(&session, &Session::failed, this, [this](const Status& why) {
        m_problem->show(m_file, toText(why.message()));
        showMode(Mode::Problem);
    });
    connect(&session, &Session::partFailed, this, [this](const QString& what, const Status& why) {
        if (m_workspace.hasBuffers())
            return tell(tr("%1 could not be read: %2").arg(what, toText(why.message())));
        m_problem->show(m_file, toText(why.message()));
        showMode(Mode::Problem);
    });
    connect(&session, &Session::busyChanged, this, &MainWindow::describe);
    connect(&m_workspace, &Workspace::sourcesChanged, this, [this] {
        describe();
        const bool isReady =
            m_workspace.sources().analysis ||
            (m_workspace.hasBuffers() && !m_pendingGoTo.startsWith(QLatin1String("finding:")));
        if (!isReady || m_pendingGoTo.isEmpty()) return;
        const QString place = std::exchange(m_pendingGoTo, {});
        if (!goTo(place)) tell(tr("%1 is not in this capture.").arg(place));
    });
    connect(&m_workspace.selection(), &SharedSelection::changed, this,
            [this](const Selection& now) { follow(now); });
}

void MainWindow::follow(const Selection& now) {
    m_tabs->setCurrentIndex(static_cast<int>(now.page));
    m_back->setEnabled(m_workspace.selection().canGoBack());
    m_forward->setEnabled(m_workspace.selection().canGoForward());
    describe();
}

void MainWindow::showMode(Mode mode) {
    const bool wasPages = this->mode() == Mode::Pages;
    m_centre->setCurrentIndex(static_cast<int>(mode));
    m_filterAction->setVisible(mode == Mode::Pages);
    if (mode == Mode::Pages) {
        if (!wasPages) restoreState(m_layout, kLayoutVersion);
        return;
    }
    if (wasPages) m_layout = saveState(kLayoutVersion);
    for (QDockWidget* dock : m_docks)
        dock->hide();
}

MainWindow::Mode MainWindow::mode() const {
    return static_cast<Mode>(m_centre->currentIndex());
}

void MainWindow::openFile(const QString& file, const QString& goTo) {
    m_file = QFileInfo(file).absoluteFilePath();
    m_pendingGoTo = goTo;
    setWindowTitle(tr("%1 - vramscope").arg(QFileInfo(m_file).fileName()));
    m_message->clear();
    m_workspace.session().open(m_file.toStdString());
    const Status notes = m_workspace.sidecar().open(m_file.toStdString());
    if (!notes.isOk()) tell(toText(notes.message()));
}

bool MainWindow::goTo(const QString& place) {
    const QString kind = place.section(QLatin1Char(':'), 0, 0);
    const QString value = place.section(QLatin1Char(':'), 1);
    bool isNumber = false;
    if (kind == QLatin1String("finding")) {
        m_workspace.showFinding(value);
        return m_workspace.now().finding == value;
    }
    if (kind == QLatin1String("buffer")) {
        const model::BufferId id{value.toLongLong(&isNumber)};
        if (!isNumber || !m_workspace.hasBuffers() ||
            m_workspace.sources().store->rowOf(id) >= m_workspace.sources().store->bufferCount())
            return false;
        m_workspace.selection().change([&](Selection& selection) {
            selection.buffer = id;
            selection.page = Page::Buffers;
        });
        return true;
    }
    if (kind == QLatin1String("time")) {
        const double seconds = value.toDouble(&isNumber);
        if (!isNumber || seconds < 0 || seconds > 1e9) return false;
        m_workspace.selection().change(
            [&](Selection& selection) { selection.timeNs = static_cast<std::int64_t>(seconds * 1e9); });
        return true;
    }
    return false;
}

void MainWindow::describe() {
    const Session& session = m_workspace.session();
    m_progress->setVisible(session.isOpen() && !m_workspace.isIdle());
    m_cancel->setVisible(session.isOpen() && !session.isIdle());
    if (!session.isOpen()) return m_status->setText(tr("No capture"));
    QStringList parts;
    if (const auto facts = session.facts()) {
        std::int64_t events = 0;
        std::int64_t lost = 0;
        for (const model::EventCount& count : facts->eventCounts)
            events = model::addClamped(events, count.eventCount);
        for (const model::Drop& drop : facts->drops)
            lost = model::addClamped(lost, drop.lostCount);
        parts << (lost > 0 ? tr("%1 events, %2 lost").arg(countText(events), countText(lost))
                           : tr("%1 events, none lost").arg(countText(events)));
    }
    if (const auto store = m_workspace.sources().store)
        parts << tr("%1 buffers").arg(countText(store->bufferCount()));
    const Selection& now = m_workspace.now();
    if (now.timeNs) parts << tr("at %1").arg(timeText(*now.timeNs, 1000));
    if (!now.range.isEmpty()) parts << tr("range %1").arg(durationText(now.range.lengthNs()));
    m_status->setText(parts.join(QStringLiteral("   |   ")));
}

QString MainWindow::statusText() const {
    return m_status->text();
}

QString MainWindow::problemText() const {
    return m_problem->text();
}

void MainWindow::tell(const QString& text) {
    m_message->setText(text);
}

bool MainWindow::isIdle() const {
    return m_workspace.isIdle() && !m_buffers->isBusy() && !m_events->model().isBusy() &&
           !m_stacks->isBusy() && !m_addressMap->isBusy() && !m_owners->isBusy() && !m_compare->isBusy() &&
           !m_sql->isBusy() && !m_timeline->model().isBusy() && !m_inspector->isBusy();
}

void MainWindow::rememberFile(const QString& file) {
    if (!m_settings) return;
    QStringList files = recentFiles();
    files.removeAll(file);
    files.prepend(file);
    m_settings->setValue(QStringLiteral("recent"), QStringList(files.mid(0, kMostRecent)));
    showRecent();
}

QStringList MainWindow::recentFiles() const {
    return m_settings ? m_settings->value(QStringLiteral("recent")).toStringList() : QStringList();
}

void MainWindow::showRecent() {
    m_start->setRecent(recentFiles());
}

void MainWindow::restoreLayout() {
    if (!m_settings) return;
    restoreGeometry(m_settings->value(QStringLiteral("geometry")).toByteArray());
    const QByteArray layout = m_settings->value(QStringLiteral("layout")).toByteArray();
    if (!layout.isEmpty()) m_layout = layout;
    setTheme(static_cast<ThemeChoice>(m_settings->value(QStringLiteral("theme"), 0).toInt()));
}

void MainWindow::saveLayout() {
    if (!m_settings) return;
    m_settings->setValue(QStringLiteral("geometry"), saveGeometry());
    m_settings->setValue(QStringLiteral("layout"),
                         mode() == Mode::Pages ? saveState(kLayoutVersion) : m_layout);
}

void MainWindow::resetLayout() {
    m_layout = m_firstLayout;
    if (mode() == Mode::Pages) restoreState(m_firstLayout, kLayoutVersion);
}

void MainWindow::setTheme(ThemeChoice choice) {
    if (m_settings) m_settings->setValue(QStringLiteral("theme"), static_cast<int>(choice));
    if (choice == ThemeChoice::System) {
        // What the desktop has decides which of ours is nearer.
        const bool isDark =
            QApplication::style()->standardPalette().color(QPalette::Window).lightness() < 128;
        return applyPalette(isDark);
    }
    applyPalette(choice == ThemeChoice::Dark);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    saveLayout();
    m_workspace.session().cancel();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty() || !urls.front().isLocalFile()) return;
    openFile(urls.front().toLocalFile());
    if (urls.size() < 2) return;
    m_compare->compareWith(urls[1].toLocalFile().toStdString());
    m_workspace.showPage(Page::Compare);
}

}  // namespace vramscope::gui
