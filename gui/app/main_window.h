// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMainWindow>
#include <memory>

#include "gui/app/layout_store.h"
#include "gui/models/shortcuts.h"
#include "gui/models/workspace.h"
#include "gui/session/live_follower.h"
#include "gui/views/export_view.h"
#include "gui/views/theme.h"

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSettings;
class QStackedWidget;
class QTabBar;
class QToolBar;

namespace vramscope::gui {

class AddressMapPage;
class BuffersPage;
class ComparePage;
class EventsPage;
class FilterBar;
class FindingList;
class FindingPage;
class Inspector;
class NoticeBar;
class OverviewPage;
class OwnersPage;
class ProblemPage;
class SqlPage;
class StacksPage;
class StartPage;
class TimelinePanel;

/// The window: findings at the left, pages in the middle, the time line below, the inspector at the right. It
/// owns the workspace that all of them share and wires nothing else.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// `settings` outlives the window; null keeps nothing.
    explicit MainWindow(QSettings* settings, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens a capture. `goTo`: "finding:ID", "buffer:ID", "time:SECONDS" or empty.
    void openFile(const QString& file, const QString& goTo = {});
    /// Shows a place as `--goto` names it. False when it is not understood or not there. The ID of a finding
    /// is its fingerprint, the beginning of one that no other has, or "F1" as a report numbers it.
    bool goTo(const QString& place);
    void setTheme(ThemeChoice choice);
    /// The page in front.
    ExportableView& view();
    /// Arranges docks and page as a layout of ours or a saved one has them; false when there is none of that
    /// name.
    bool applyLayout(const QString& name);
    void saveLayoutAs(const QString& name);
    void removeLayout(const QString& name);
    void resetLayout();

    /// For tests: nothing loads and no view computes.
    bool isIdle() const;
    Workspace& workspace() { return m_workspace; }
    OverviewPage& overview() { return *m_overview; }
    FindingList& findings() { return *m_findings; }
    FindingPage& findingPage() { return *m_finding; }
    BuffersPage& buffers() { return *m_buffers; }
    StacksPage& stacks() { return *m_stacks; }
    AddressMapPage& addressMap() { return *m_addressMap; }
    OwnersPage& owners() { return *m_owners; }
    EventsPage& events() { return *m_events; }
    ComparePage& compare() { return *m_compare; }
    SqlPage& sql() { return *m_sql; }
    TimelinePanel& timeline() { return *m_timeline; }
    Inspector& inspector() { return *m_inspector; }
    LiveFollower& follower() { return m_follower; }
    ProblemPage& problem() { return *m_problem; }
    FilterBar& filterBar() { return *m_filterBar; }
    QTabBar& tabs() { return *m_tabs; }
    Shortcuts& shortcuts() { return m_shortcuts; }
    QString problemText() const;
    QString statusText() const;
    /// What is special about the capture, above the pages; empty when nothing is.
    QString noticeText() const;
    /// "live" and the like; empty of a finished capture.
    QString liveText() const;
    QStringList layoutNames() const;
    /// What is shown instead of the pages: the start page, a problem, or the pages themselves.
    enum class Mode { Start, Problem, Pages };
    Mode mode() const;

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildCentre();
    QWidget* buildPages();
    void buildDocks();
    void buildActions();
    void buildViewBar();
    void buildStatus();
    void connectSession();
    QAction* add(QMenu* menu, const QString& text, const QList<QKeySequence>& keys,
                 std::function<void()> act);
    void addFileActions(QMenu* menu);
    void addEditActions(QMenu* menu);
    void addViewActions(QMenu* menu);
    void addGoActions(QMenu* menu);
    void addHelpActions(QMenu* menu);
    void showMode(Mode mode);
    void follow(const Selection& now);
    void describe();
    void describeLive();
    void chooseFile();
    void openInNewWindow();
    void chooseComparison();
    void rememberFile(const QString& file);
    QStringList recentFiles() const;
    void showRecent();
    void showProblem(const Status& why);
    void offerSalvage();
    void showSalvaged();
    void goToPending();
    void clearNarrowing();
    void addBookmark();
    void showBookmarks();
    void editNote();
    void goToTimeOrAddress();
    void goToPeak();
    void showShortcuts();
    void showPalette();
    void copy(ExportableView& view, ExportForm form);
    void exportTo(ExportableView& view, const QString& title);
    void restoreLayout();
    void saveLayout();
    void askLayoutName();
    void fillLayoutMenu();
    void tell(const QString& text);

    QSettings* m_settings;
    Workspace m_workspace;
    LiveFollower m_follower;
    LayoutStore m_layouts;
    Shortcuts m_shortcuts;
    JobSlot m_glimpseJob;
    QString m_file;
    QString m_pendingGoTo;

    QStackedWidget* m_centre = nullptr;
    QStackedWidget* m_pages = nullptr;
    QTabBar* m_tabs = nullptr;
    QToolBar* m_viewBar = nullptr;
    NoticeBar* m_notice = nullptr;
    StartPage* m_start = nullptr;
    ProblemPage* m_problem = nullptr;
    FilterBar* m_filterBar = nullptr;
    OverviewPage* m_overview = nullptr;
    FindingList* m_findings = nullptr;
    FindingPage* m_finding = nullptr;
    BuffersPage* m_buffers = nullptr;
    StacksPage* m_stacks = nullptr;
    AddressMapPage* m_addressMap = nullptr;
    OwnersPage* m_owners = nullptr;
    EventsPage* m_events = nullptr;
    ComparePage* m_compare = nullptr;
    SqlPage* m_sql = nullptr;
    TimelinePanel* m_timeline = nullptr;
    Inspector* m_inspector = nullptr;
    QList<QDockWidget*> m_docks;
    QMenu* m_layoutMenu = nullptr;
    QAction* m_open = nullptr;
    QAction* m_back = nullptr;
    QAction* m_forward = nullptr;
    QLabel* m_status = nullptr;
    QLabel* m_message = nullptr;
    QLabel* m_live = nullptr;
    QCheckBox* m_followEnd = nullptr;
    QAction* m_liveAction = nullptr;
    QAction* m_followAction = nullptr;
    QProgressBar* m_progress = nullptr;
    QPushButton* m_cancel = nullptr;
    QAction* m_filterAction = nullptr;
    QByteArray m_firstLayout;
    QByteArray m_layout;  ///< of the docks, for when there are pages
};

}  // namespace vramscope::gui
