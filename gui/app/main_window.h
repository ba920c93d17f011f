// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMainWindow>
#include <memory>

#include "gui/models/workspace.h"
#include "gui/views/theme.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QSettings;
class QStackedWidget;
class QTabWidget;

namespace vramscope::gui {

class AddressMapPage;
class BuffersPage;
class ComparePage;
class EventsPage;
class FilterBar;
class FindingList;
class FindingPage;
class Inspector;
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
    /// Shows a place as `--goto` names it. False when it is not understood or not there.
    bool goTo(const QString& place);
    void setTheme(ThemeChoice choice);

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
    QString problemText() const;
    FilterBar& filterBar() { return *m_filterBar; }
    QString statusText() const;
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
    void buildDocks();
    void buildActions();
    void buildStatus();
    void connectSession();
    QAction* add(QMenu* menu, const QString& text, const QList<QKeySequence>& keys,
                 std::function<void()> act);
    void addViewActions(QMenu* menu);
    void addGoActions(QMenu* menu);
    void showMode(Mode mode);
    void follow(const Selection& now);
    void describe();
    void chooseFile();
    void chooseComparison();
    void rememberFile(const QString& file);
    QStringList recentFiles() const;
    void showRecent();
    void addBookmark();
    void goToTimeOrAddress();
    void showShortcuts();
    void showPalette();
    void copyView();
    void exportView();
    void restoreLayout();
    void saveLayout();
    void resetLayout();
    void tell(const QString& text);

    QSettings* m_settings;
    Workspace m_workspace;
    QString m_file;
    QString m_pendingGoTo;

    QStackedWidget* m_centre = nullptr;
    QTabWidget* m_tabs = nullptr;
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
    QList<QAction*> m_actions;
    QAction* m_back = nullptr;
    QAction* m_forward = nullptr;
    QLabel* m_status = nullptr;
    QLabel* m_message = nullptr;
    QProgressBar* m_progress = nullptr;
    QPushButton* m_cancel = nullptr;
    QAction* m_filterAction = nullptr;
    QByteArray m_firstLayout;
    QByteArray m_layout;  ///< of the docks, for when there are pages
};

}  // namespace vramscope::gui
