// SPDX-License-Identifier: Apache-2.0
// How captures come into the window: opened, dropped, compared, gone on with, and what is said of those that
// cannot be shown.
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMimeData>
#include <QSettings>

#include "gui/app/main_window.h"
#include "gui/models/text.h"
#include "gui/session/glimpse.h"
#include "gui/views/compare_page.h"
#include "gui/views/notice_bar.h"
#include "gui/views/start_page.h"

namespace vramscope::gui {
namespace {

constexpr int kMostRecent = 8;

/// How much of a damaged capture is left, in words that a person can take in.
QString salvageText(const formats::Salvage& salvage) {
    return MainWindow::tr(
               "Of its %1 tables %2 could be read whole. %3 buffers and %4 stacks are there; what else "
               "there was, nobody can tell.")
        .arg(salvage.tables.size())
        .arg(salvage.wholeCount())
        .arg(countText(salvage.rowsOf("buffers")), countText(salvage.rowsOf("stacks")));
}

}  // namespace

void MainWindow::openFile(const QString& file, const QString& goTo) {
    m_file = QFileInfo(file).absoluteFilePath();
    m_pendingGoTo = goTo;
    setWindowTitle(tr("%1 - vramscope").arg(QFileInfo(m_file).fileName()));
    m_message->clear();
    m_workspace.session().open(m_file.toStdString());
    const Status notes = m_workspace.sidecar().open(m_file.toStdString());
    if (!notes.isOk()) tell(toText(notes.message()));
}

void MainWindow::openInNewWindow() {
    const QString file = QFileDialog::getOpenFileName(this, tr("Open a capture in a new window"), {},
                                                      tr("Captures (*.vramscope);;All files (*)"));
    if (file.isEmpty()) return;
    auto* window = new MainWindow(m_settings);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->show();
    window->openFile(file);
}

void MainWindow::showProblem(const Status& why) {
    m_problem->show(m_file, toText(why.message()));
    showMode(Mode::Problem);
    m_glimpseJob.start([path = m_workspace.session().path()](const Cancel&) { return glimpse(path); },
                       [this](const QStringList& facts) { m_problem->showGlimpse(facts); });
    if (why.kind() == ErrorKind::Unreadable) m_workspace.session().salvage();
}

void MainWindow::offerSalvage() {
    m_problem->offerSalvage(salvageText(*m_workspace.session().salvaged()));
}

void MainWindow::showSalvaged() {
    const Session& session = m_workspace.session();
    if (!session.isSalvaged()) return m_notice->clear();
    m_notice->tell(
        tr("%1 is damaged; this is what could be read of it. %2 Problems are not looked for: what is "
           "missing could make anything look wrong.")
            .arg(QFileInfo(m_file).fileName(), salvageText(*session.salvaged())),
        tr("Try the file again"), [this] { openFile(m_file); });
}

void MainWindow::goToPending() {
    const bool isReady = m_workspace.sources().analysis ||
                         (m_workspace.hasBuffers() && (m_workspace.session().isSalvaged() ||
                                                       !m_pendingGoTo.startsWith(QLatin1String("finding:"))));
    if (!isReady || m_pendingGoTo.isEmpty()) return;
    const QString place = std::exchange(m_pendingGoTo, {});
    if (!goTo(place)) tell(tr("%1 is not in this capture.").arg(place));
}

bool MainWindow::goTo(const QString& place) {
    const QString kind = place.section(QLatin1Char(':'), 0, 0);
    const QString value = place.section(QLatin1Char(':'), 1);
    bool isNumber = false;
    if (kind == QLatin1String("finding")) {
        const auto analysis = m_workspace.sources().analysis;
        const detectors::Finding* finding = analysis ? analysis->named(value.toStdString()) : nullptr;
        if (finding) m_workspace.showFinding(toText(finding->fingerprint));
        return finding != nullptr;
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
