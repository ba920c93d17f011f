// SPDX-License-Identifier: Apache-2.0
// What the menus, keys and the palette do.
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileDialog>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenuBar>
#include <QMessageBox>
#include <QSaveFile>
#include <QTabWidget>
#include <QToolBar>

#include "gui/app/main_window.h"
#include "gui/models/text.h"
#include "gui/views/buffers_page.h"
#include "gui/views/command_palette.h"
#include "gui/views/compare_page.h"
#include "gui/views/filter_bar.h"
#include "gui/views/finding_list.h"
#include "gui/views/finding_page.h"
#include "gui/views/stacks_page.h"
#include "gui/views/timeline_panel.h"

namespace vramscope::gui {

QAction* MainWindow::add(QMenu* menu, const QString& text, const QList<QKeySequence>& keys,
                         std::function<void()> act) {
    QAction* action = menu->addAction(text);
    action->setShortcuts(keys);
    connect(action, &QAction::triggered, this, std::move(act));
    m_actions.append(action);
    return action;
}

void MainWindow::buildActions() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    QAction* open = add(file, tr("&Open ..."), {QKeySequence::Open}, [this] { chooseFile(); });
    add(file, tr("&Reload"), {QKeySequence(Qt::Key_F5)}, [this] {
        if (!m_file.isEmpty()) openFile(m_file);
    });
    add(file, tr("&Compare with ..."), {QKeySequence(Qt::CTRL | Qt::Key_D)}, [this] { chooseComparison(); });
    file->addSeparator();
    add(file, tr("&Export this view ..."), {QKeySequence(Qt::CTRL | Qt::Key_E)}, [this] { exportView(); });
    file->addSeparator();
    add(file, tr("C&lose the capture"), {QKeySequence::Close}, [this] { m_workspace.session().close(); });
    add(file, tr("&Quit"), {QKeySequence::Quit}, [this] { close(); });

    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    add(edit, tr("&Copy this view"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)},
        [this] { copyView(); });
    add(edit, tr("&Filter"), {QKeySequence::Find}, [this] { m_filterBar->focusFilter(); });
    add(edit, tr("Clear range, then filter"), {QKeySequence(Qt::Key_Escape)}, [this] {
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
    });
    add(edit, tr("&Bookmark this moment ..."), {QKeySequence(Qt::CTRL | Qt::Key_B)},
        [this] { addBookmark(); });
    add(edit, tr("&Note on this capture ..."), {}, [this] {
        bool isAccepted = false;
        const QString note = QInputDialog::getMultiLineText(
            this, tr("Note"), tr("Kept beside the capture, which is not changed:"),
            m_workspace.sidecar().note(), &isAccepted);
        if (!isAccepted) return;
        const Status saved = m_workspace.sidecar().setNote(note);
        if (!saved.isOk()) tell(toText(saved.message()));
    });

    addViewActions(menuBar()->addMenu(tr("&View")));
    addGoActions(menuBar()->addMenu(tr("&Go")));

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    add(help, tr("Co&mmands ..."), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
        [this] { showPalette(); });
    add(help, tr("&Keys"), {QKeySequence(Qt::Key_F1)}, [this] { showShortcuts(); });
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
    open->setIconText(tr("Open"));
    bar->addAction(m_back);
    bar->addAction(m_forward);
    bar->addAction(open);
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
    add(menu, tr("Restore the first layout"), {}, [this] { resetLayout(); });
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
    add(menu, tr("To the peak"), {}, [this] {
        const auto analysis = m_workspace.sources().analysis;
        const auto& lanes = m_timeline->model().lanes();
        if (!analysis && lanes.empty()) return;
        const std::int64_t peakNs = analysis ? analysis->peakNs : lanes.front().peakNs;
        m_workspace.selection().change([&](Selection& selection) { selection.timeNs = peakNs; });
    });
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
        case Qt::Key_P: {
            const auto analysis = m_workspace.sources().analysis;
            if (analysis)
                m_workspace.selection().change(
                    [&](Selection& selection) { selection.timeNs = analysis->peakNs; });
            return;
        }
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

void MainWindow::chooseFile() {
    const QString file = QFileDialog::getOpenFileName(this, tr("Open a capture"), {},
                                                      tr("Captures (*.vramscope);;All files (*)"));
    if (!file.isEmpty()) openFile(file);
}

void MainWindow::chooseComparison() {
    if (!m_workspace.session().isOpen()) return chooseFile();
    const QString file = QFileDialog::getOpenFileName(this, tr("The earlier capture"), {},
                                                      tr("Captures (*.vramscope);;All files (*)"));
    if (file.isEmpty()) return;
    m_compare->compareWith(file.toStdString());
    m_workspace.showPage(Page::Compare);
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
    QString text =
        tr("<table cellpadding='2'>"
           "<tr><td><b>W S</b></td><td>zoom the timeline in, out (Ctrl and the wheel: at the mouse)</td></tr>"
           "<tr><td><b>A D</b></td><td>move it (Space and drag, middle button, wheel)</td></tr>"
           "<tr><td><b>drag</b></td><td>select a range</td></tr>"
           "<tr><td><b>F</b></td><td>zoom to the selection; again: all</td></tr>"
           "<tr><td><b>H</b></td><td>the whole run</td></tr>"
           "<tr><td><b>T</b></td><td>cursor to the mouse</td></tr>"
           "<tr><td><b>P</b></td><td>the peak</td></tr>"
           "<tr><td><b>[ ]</b></td><td>event before, next event</td></tr>"
           "<tr><td><b>N, Shift+N</b></td><td>next finding, finding before</td></tr>"
           "<tr><td><b>Esc</b></td><td>clear the range, then the filter</td></tr>");
    for (const QAction* action : m_actions) {
        if (action->shortcut().isEmpty()) continue;
        QString name = action->text();
        name.remove(QLatin1Char('&'));
        text += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>")
                    .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                         name.toHtmlEscaped());
    }
    QMessageBox box(QMessageBox::NoIcon, tr("Keys"), text + QStringLiteral("</table>"), QMessageBox::Close,
                    this);
    box.setTextFormat(Qt::RichText);
    box.exec();
}

void MainWindow::showPalette() {
    CommandPalette palette(m_actions, this);
    palette.move(mapToGlobal(QPoint((width() - palette.width()) / 2, 80)));
    palette.exec();
}

void MainWindow::copyView() {
    switch (m_workspace.now().page) {
        case Page::Finding:
            return QApplication::clipboard()->setText(m_finding->markdown());
        case Page::Buffers:
            return QApplication::clipboard()->setText(m_buffers->selectedText());
        case Page::Stacks:
            return QApplication::clipboard()->setText(m_stacks->foldedText());
        default:
            return QApplication::clipboard()->setPixmap(m_tabs->currentWidget()->grab());
    }
}

void MainWindow::exportView() {
    if (mode() != Mode::Pages) return;
    const Page page = m_workspace.now().page;
    QString filters = tr("Picture (*.png)");
    if (page == Page::Buffers) filters = tr("Table (*.csv);;Picture (*.png)");
    if (page == Page::Stacks) filters = tr("Folded stacks (*.txt);;Picture (*.png)");
    if (page == Page::Finding) filters = tr("Markdown (*.md);;Picture (*.png)");
    QString chosen;
    const QString file = QFileDialog::getSaveFileName(this, tr("Export this view"), {}, filters, &chosen);
    if (file.isEmpty()) return;
    QSaveFile out(file);
    bool isWritten = out.open(QIODevice::WriteOnly);
    if (isWritten && !chosen.startsWith(tr("Picture"))) {
        const QString text = page == Page::Buffers  ? m_buffers->csv()
                             : page == Page::Stacks ? m_stacks->foldedText()
                                                    : m_finding->markdown();
        isWritten = out.write(text.toUtf8()) >= 0;
    } else if (isWritten) {
        isWritten = m_tabs->currentWidget()->grab().save(&out, "PNG");
    }
    isWritten = isWritten && out.commit();
    tell(isWritten ? tr("Written to %1").arg(file)
                   : tr("%1 could not be written: %2").arg(file, out.errorString()));
}

}  // namespace vramscope::gui
