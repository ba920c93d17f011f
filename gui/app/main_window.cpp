// SPDX-License-Identifier: Apache-2.0
// What the window consists of, and how it follows the session and the selection.
#include "gui/app/main_window.h"

#include <QCheckBox>
#include <QDockWidget>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>
#include <QVBoxLayout>

#include "analyzer/model/units.h"
#include "gui/models/text.h"
#include "gui/views/address_map_page.h"
#include "gui/views/buffers_page.h"
#include "gui/views/compare_page.h"
#include "gui/views/events_page.h"
#include "gui/views/filter_bar.h"
#include "gui/views/finding_list.h"
#include "gui/views/finding_page.h"
#include "gui/views/inspector.h"
#include "gui/views/notice_bar.h"
#include "gui/views/overview_page.h"
#include "gui/views/owners_page.h"
#include "gui/views/sql_page.h"
#include "gui/views/stacks_page.h"
#include "gui/views/start_page.h"
#include "gui/views/time_gestures.h"
#include "gui/views/timeline_panel.h"

namespace vramscope::gui {

MainWindow::MainWindow(QSettings* settings, QWidget* parent)
    : QMainWindow(parent),
      m_settings(settings),
      m_follower(m_workspace.session()),
      m_layouts(settings),
      m_shortcuts(settings),
      m_glimpseJob(m_workspace.session().pool()) {
    setWindowTitle(tr("vramscope"));
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
    resize(1280, 800);
    buildCentre();
    buildDocks();
    buildActions();
    buildViewBar();
    buildStatus();
    connectSession();
    restoreLayout();
    showMode(Mode::Start);
    showRecent();
}

MainWindow::~MainWindow() {
    // Views first: they use the workspace, which is a member and would go before them.
    m_workspace.session().disconnect(this);
    m_workspace.selection().disconnect(this);
    m_workspace.disconnect(this);
    m_follower.disconnect(this);
    delete m_filterBar;
    qDeleteAll(m_docks);
    delete takeCentralWidget();
}

QWidget* MainWindow::buildPages() {
    m_tabs = new QTabBar;
    m_pages = new QStackedWidget;
    m_overview = new OverviewPage(m_workspace);
    m_finding = new FindingPage(m_workspace);
    m_buffers = new BuffersPage(m_workspace);
    m_stacks = new StacksPage(m_workspace);
    m_addressMap = new AddressMapPage(m_workspace);
    m_owners = new OwnersPage(m_workspace);
    m_events = new EventsPage(m_workspace);
    m_compare = new ComparePage(m_workspace);
    m_sql = new SqlPage(m_workspace);
    const auto page = [this](QWidget* widget, const QString& name) {
        m_tabs->addTab(name);
        m_pages->addWidget(widget);
    };
    // In the order of Page.
    page(m_overview, tr("Overview"));
    page(m_finding, tr("Finding"));
    page(m_buffers, tr("Buffers"));
    page(m_stacks, tr("Stacks"));
    page(m_addressMap, tr("Address map"));
    page(m_owners, tr("Owners"));
    page(m_events, tr("Events"));
    page(m_compare, tr("Compare"));
    page(m_sql, tr("SQL"));
    m_notice = new NoticeBar;
    auto* shown = new QWidget;
    auto* layout = new QVBoxLayout(shown);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_notice);
    layout->addWidget(m_pages, 1);
    return shown;
}

void MainWindow::buildCentre() {
    m_start = new StartPage;
    m_problem = new ProblemPage;
    m_centre = new QStackedWidget(this);
    // The docks leave it little in a small window, and every page scrolls.
    m_centre->setMinimumSize(320, 180);
    m_centre->addWidget(m_start);
    m_centre->addWidget(m_problem);
    m_centre->addWidget(buildPages());
    setCentralWidget(m_centre);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
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
    connect(m_problem, &ProblemPage::salvageWanted, &m_workspace.session(), &Session::openSalvage);
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
    resizeDocks({bottom}, {245}, Qt::Vertical);
    connect(m_timeline, &TimelinePanel::bookmarkWanted, this, &MainWindow::addBookmark);
    auto* hands = new TimeGestures(m_owners->view(), m_workspace,
                                   {[this] { return m_owners->view().timeMap(); },
                                    [this](const TimeMap& map) { m_owners->view().setTimeMap(map); }, true});
    connect(m_timeline, &TimelinePanel::handToolChanged, hands, &TimeGestures::setHandTool);
}

void MainWindow::buildViewBar() {
    // Over the whole width: between the docks nine names would not fit.
    m_tabs->setAccessibleName(tr("Views"));
    m_tabs->setExpanding(false);
    m_tabs->setDrawBase(false);
    m_tabs->setUsesScrollButtons(true);
    m_tabs->setElideMode(Qt::ElideNone);
    m_live = new QLabel;
    m_live->setTextFormat(Qt::PlainText);
    m_live->setContentsMargins(8, 0, 8, 0);
    m_followEnd = new QCheckBox(tr("Follow the end"));
    m_followEnd->setToolTip(tr("The timeline moves on with what is recorded"));
    connect(m_followEnd, &QCheckBox::toggled, this,
            [this](bool isOn) { m_timeline->view().setFollowsEnd(isOn); });
    addToolBarBreak();
    m_viewBar = addToolBar(tr("Views"));
    m_viewBar->setObjectName(QStringLiteral("views"));
    m_viewBar->setMovable(false);
    m_viewBar->addWidget(m_tabs);
    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_viewBar->addWidget(space);
    m_liveAction = m_viewBar->addWidget(m_live);
    m_followAction = m_viewBar->addWidget(m_followEnd);
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
    describeLive();
}

void MainWindow::connectSession() {
    Session& session = m_workspace.session();
    connect(&session, &Session::opened, this, [this] {
        m_followEnd->setChecked(false);
        showSalvaged();
        showMode(Mode::Pages);
    });
    connect(&session, &Session::closed, this, [this] {
        showMode(Mode::Start);
        setWindowTitle(tr("vramscope"));
    });
    connect(&session, &Session::previewReady, this, [this] {
        rememberFile(m_file);
        // Who opens a recording that runs wants to see it run.
        m_followEnd->setChecked(m_follower.isLive());
        describe();
    });
    connect(&session, &Session::failed, this, &MainWindow::showProblem);
    connect(&session, &Session::partFailed, this, [this](const QString& what, const Status& why) {
        if (m_workspace.hasBuffers())
            return tell(tr("%1 could not be read: %2").arg(what, toText(why.message())));
        showProblem(why);
    });
    connect(&session, &Session::salvageReady, this, &MainWindow::offerSalvage);
    connect(&session, &Session::busyChanged, this, &MainWindow::describe);
    connect(&m_follower, &LiveFollower::changed, this, &MainWindow::describeLive);
    connect(&m_workspace, &Workspace::sourcesChanged, this, [this] {
        describe();
        goToPending();
    });
    connect(&m_workspace.selection(), &SharedSelection::changed, this,
            [this](const Selection& now) { follow(now); });
}

void MainWindow::follow(const Selection& now) {
    m_tabs->setCurrentIndex(static_cast<int>(now.page));
    m_pages->setCurrentIndex(static_cast<int>(now.page));
    m_back->setEnabled(m_workspace.selection().canGoBack());
    m_forward->setEnabled(m_workspace.selection().canGoForward());
    describe();
}

void MainWindow::describe() {
    const Session& session = m_workspace.session();
    const bool isBusy = session.isOpen() && !session.isRefreshing();
    m_progress->setVisible(isBusy && !m_workspace.isIdle());
    m_cancel->setVisible(isBusy && !session.isIdle());
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
        parts << toText(model::countOf(store->bufferCount(), "buffer"));
    const Selection& now = m_workspace.now();
    if (now.timeNs) parts << tr("at %1").arg(timeText(*now.timeNs, 1000));
    if (!now.range.isEmpty()) parts << tr("range %1").arg(durationText(now.range.lengthNs()));
    m_status->setText(parts.join(QStringLiteral("   |   ")));
}

void MainWindow::describeLive() {
    const bool isUnfinished = m_follower.isUnfinished();
    m_liveAction->setVisible(isUnfinished);
    m_followAction->setVisible(isUnfinished);
    if (!isUnfinished) return m_live->clear();
    m_live->setText(m_follower.isLive()
                        ? tr("● live")
                        : tr("○ not finished, nothing new for %1")
                              .arg(durationText(m_follower.quietMs() / 1000 * 1'000'000'000)));
    m_live->setToolTip(m_follower.isLive()
                           ? tr("The recording runs; what it adds is shown as it comes.")
                           : tr("The recording was not finished: its job may be quiet, or its recorder was "
                                "killed. `vramscope recover` finishes it then."));
}

QString MainWindow::statusText() const {
    return m_status->text();
}

QString MainWindow::noticeText() const {
    return m_notice->text();
}

QString MainWindow::liveText() const {
    return m_live->text();
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
           !m_sql->isBusy() && !m_timeline->model().isBusy() && !m_glimpseJob.isBusy() &&
           !m_inspector->isBusy();
}

}  // namespace vramscope::gui
