// SPDX-License-Identifier: Apache-2.0
// What the menus, keys and the palette do.
#include <QApplication>
#include <QDockWidget>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMessageBox>
#include <QTabBar>
#include <QToolBar>

#include "gui/app/main_window.h"
#include "gui/models/text.h"
#include "gui/views/bookmark_dialog.h"
#include "gui/views/command_palette.h"
#include "gui/views/filter_bar.h"
#include "gui/views/finding_list.h"
#include "gui/views/keys_dialog.h"
#include "gui/views/timeline_panel.h"

namespace vramscope::gui {

QAction* MainWindow::add(QMenu* menu, const QString& text, const QList<QKeySequence>& keys,
                         std::function<void()> act) {
    QAction* action = menu->addAction(text);
    m_shortcuts.adopt(*action, keys);
    connect(action, &QAction::triggered, this, std::move(act));
    return action;
}

void MainWindow::buildActions() {
    addFileActions(menuBar()->addMenu(tr("&File")));
    addEditActions(menuBar()->addMenu(tr("&Edit")));
    addViewActions(menuBar()->addMenu(tr("&View")));
    addGoActions(menuBar()->addMenu(tr("&Go")));
    addHelpActions(menuBar()->addMenu(tr("&Help")));
}

void MainWindow::addFileActions(QMenu* file) {
    m_open = add(file, tr("&Open ..."), {QKeySequence::Open}, [this] { chooseFile(); });
    add(file, tr("Open in a new &window ..."), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
        [this] { openInNewWindow(); });
    add(file, tr("&Reload"), {QKeySequence(Qt::Key_F5)}, [this] {
        if (!m_file.isEmpty()) openFile(m_file);
    });
    add(file, tr("&Compare with ..."), {QKeySequence(Qt::CTRL | Qt::Key_D)}, [this] { chooseComparison(); });
    file->addSeparator();
    add(file, tr("&Export this view ..."), {QKeySequence(Qt::CTRL | Qt::Key_E)},
        [this] { exportTo(view(), tr("Export this view")); });
    add(file, tr("Export the &timeline ..."), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E)},
        [this] { exportTo(*m_timeline, tr("Export the timeline")); });
    file->addSeparator();
    add(file, tr("C&lose the capture"), {QKeySequence::Close}, [this] { m_workspace.session().close(); });
    add(file, tr("&Quit"), {QKeySequence::Quit}, [this] { close(); });
}

void MainWindow::addEditActions(QMenu* edit) {
    add(edit, tr("&Copy this view as text"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)},
        [this] { copy(view(), ExportForm::Text); });
    add(edit, tr("Copy this view as a t&able (CSV)"), {}, [this] { copy(view(), ExportForm::Csv); });
    add(edit, tr("Copy this view as a &picture"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_C)},
        [this] { copy(view(), ExportForm::Png); });
    add(edit, tr("Copy this view as a &drawing (SVG)"), {}, [this] { copy(view(), ExportForm::Svg); });
    add(edit, tr("Copy the timeline as text"), {}, [this] { copy(*m_timeline, ExportForm::Text); });
    add(edit, tr("Copy the timeline as a picture"), {}, [this] { copy(*m_timeline, ExportForm::Png); });
    edit->addSeparator();
    QAction* undo = add(edit, tr("&Undo the last change of the filter"), {QKeySequence::Undo},
                        [this] { m_workspace.filterHistory().undo(); });
    undo->setEnabled(false);
    connect(&m_workspace.filterHistory(), &FilterHistory::changed, undo,
            [this, undo] { undo->setEnabled(m_workspace.filterHistory().canUndo()); });
    add(edit, tr("&Filter"), {QKeySequence::Find}, [this] { m_filterBar->focusFilter(); });
    add(edit, tr("Clear range, then filter"), {QKeySequence(Qt::Key_Escape)}, [this] { clearNarrowing(); });
    edit->addSeparator();
    add(edit, tr("&Bookmark this moment ..."), {QKeySequence(Qt::CTRL | Qt::Key_B)},
        [this] { addBookmark(); });
    add(edit, tr("Bookmar&ks ..."), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B)},
        [this] { showBookmarks(); });
    add(edit, tr("&Note on this capture ..."), {}, [this] { editNote(); });
}

void MainWindow::addHelpActions(QMenu* help) {
    add(help, tr("Co&mmands ..."), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
        [this] { showPalette(); });
    add(help, tr("&Keys ..."), {QKeySequence(Qt::Key_F1)}, [this] { showShortcuts(); });
    add(help, tr("&About vramscope"), {}, [this] {
        QMessageBox::about(this, tr("vramscope"),
                           tr("vramscope %1\n\nWho holds the GPU's memory, what leaked, and why nothing "
                              "fits.\n\nApache License 2.0")
                               .arg(QApplication::applicationVersion()));
    });
    auto* bar = addToolBar(tr("Navigation"));
    bar->setObjectName(QStringLiteral("navigation"));
    bar->setMovable(false);
    m_back->setIconText(QStringLiteral("←"));
    m_forward->setIconText(QStringLiteral("→"));
    m_open->setIconText(tr("Open"));
    for (QAction* action : {m_back, m_forward, m_open})
        bar->addAction(action);
    bar->addSeparator();
    m_filterBar = new FilterBar(m_workspace);
    m_filterAction = bar->addWidget(m_filterBar);
}

void MainWindow::addViewActions(QMenu* menu) {
    for (int page = 0; page < m_tabs->count(); ++page) {
        add(menu, m_tabs->tabText(page), {QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + page))},
            [this, page] { m_workspace.showPage(static_cast<Page>(page)); });
    }
    menu->addSeparator();
    for (QDockWidget* dock : m_docks)
        menu->addAction(dock->toggleViewAction());
    m_layoutMenu = menu->addMenu(tr("Layouts"));
    fillLayoutMenu();
    menu->addSeparator();
    add(menu, tr("Light colours"), {}, [this] { setTheme(ThemeChoice::Light); });
    add(menu, tr("Dark colours"), {}, [this] { setTheme(ThemeChoice::Dark); });
    add(menu, tr("Colours of the desktop"), {}, [this] { setTheme(ThemeChoice::System); });
}

void MainWindow::addGoActions(QMenu* menu) {
    m_back = add(menu, tr("&Back"), {QKeySequence(Qt::ALT | Qt::Key_Left)},
                 [this] { m_workspace.selection().goBack(); });
    m_forward = add(menu, tr("&Forward"), {QKeySequence(Qt::ALT | Qt::Key_Right)},
                    [this] { m_workspace.selection().goForward(); });
    m_back->setEnabled(false);
    m_forward->setEnabled(false);
    menu->addSeparator();
    add(menu, tr("To a time or address ..."), {QKeySequence(Qt::CTRL | Qt::Key_G)},
        [this] { goToTimeOrAddress(); });
    add(menu, tr("To the peak"), {}, [this] { goToPeak(); });
    add(menu, tr("Next finding"), {}, [this] { m_findings->step(1); });
    add(menu, tr("Finding before"), {}, [this] { m_findings->step(-1); });
    add(menu, tr("Next event"), {}, [this] { m_timeline->view().stepEvent(1); });
    add(menu, tr("Event before"), {}, [this] { m_timeline->view().stepEvent(-1); });
    add(menu, tr("Zoom the timeline to the selection"), {}, [this] { m_timeline->view().focusSelection(); });
    add(menu, tr("Show the whole run"), {}, [this] { m_timeline->view().showAll(); });
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    // Plain letters are keys of the window only where nobody is typing, which the focused widget decides
    // first.
    if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return QMainWindow::keyPressEvent(event);
    TimelineView& view = m_timeline->view();
    switch (event->key()) {
        case Qt::Key_N:
            return m_findings->step((event->modifiers() & Qt::ShiftModifier) ? -1 : 1);
        case Qt::Key_P:
            return goToPeak();
        case Qt::Key_F:
            return view.focusSelection();
        case Qt::Key_H:
            return view.showAll();
        case Qt::Key_BracketLeft:
            return view.stepEvent(-1);
        case Qt::Key_BracketRight:
            return view.stepEvent(1);
        case Qt::Key_W:
            return view.zoomAtCursor(0.6);
        case Qt::Key_S:
            return view.zoomAtCursor(1 / 0.6);
        case Qt::Key_A:
            return view.pan(-view.timeMap().width() / 10);
        case Qt::Key_D:
            return view.pan(view.timeMap().width() / 10);
        case Qt::Key_Question:
            return showShortcuts();
        default:
            QMainWindow::keyPressEvent(event);
    }
}

void MainWindow::goToPeak() {
    const auto analysis = m_workspace.sources().analysis;
    const auto& lanes = m_timeline->model().lanes();
    if (!analysis && lanes.empty()) return;
    const std::int64_t peakNs = analysis ? analysis->peakNs : lanes.front().peakNs;
    m_workspace.selection().change([&](Selection& selection) { selection.timeNs = peakNs; });
}

void MainWindow::clearNarrowing() {
    m_workspace.selection().change([](Selection& selection) {
        if (!selection.range.isEmpty()) {
            selection.range = {};
            return;
        }
        selection.filter.clear();
        selection.process = {};
        selection.device = {};
        selection.task = {};
    });
}

void MainWindow::editNote() {
    bool isAccepted = false;
    const QString note =
        QInputDialog::getMultiLineText(this, tr("Note"), tr("Kept beside the capture, which is not changed:"),
                                       m_workspace.sidecar().note(), &isAccepted);
    if (!isAccepted) return;
    const Status saved = m_workspace.sidecar().setNote(note);
    if (!saved.isOk()) tell(toText(saved.message()));
}

void MainWindow::showBookmarks() {
    if (!m_workspace.session().isOpen()) return;
    BookmarkDialog(m_workspace, this).exec();
}

void MainWindow::addBookmark() {
    if (!m_workspace.session().isOpen()) return;
    const std::int64_t timeNs = m_workspace.momentNs();
    bool isAccepted = false;
    const QString text = QInputDialog::getText(
        this, tr("Bookmark"), tr("What is at %1?").arg(timeText(timeNs)), QLineEdit::Normal, {}, &isAccepted);
    if (!isAccepted) return;
    const Status saved = m_workspace.sidecar().addBookmark({timeNs, text});
    if (!saved.isOk()) tell(toText(saved.message()));
}

void MainWindow::goToTimeOrAddress() {
    bool isAccepted = false;
    const QString text =
        QInputDialog::getText(this, tr("Go to"),
                              tr("A time in seconds (1.204) or an address (0x7f2c40000100):"),
                              QLineEdit::Normal, {}, &isAccepted)
            .trimmed();
    if (!isAccepted || text.isEmpty()) return;
    if (text.startsWith(QLatin1String("0x")) || text.startsWith(QLatin1Char('b')))
        return m_workspace.showPage(Page::Buffers, QStringLiteral("addr:") + text);
    if (!goTo(QStringLiteral("time:") + text)) tell(tr("%1 is neither a time nor an address.").arg(text));
}

void MainWindow::showShortcuts() {
    KeysDialog(m_shortcuts, this).exec();
}

void MainWindow::showPalette() {
    CommandPalette palette(m_shortcuts.actions() + m_layoutMenu->actions(), this);
    palette.move(mapToGlobal(QPoint((width() - palette.width()) / 2, 80)));
    palette.exec();
}

}  // namespace vramscope::gui
