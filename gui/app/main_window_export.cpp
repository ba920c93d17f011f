// SPDX-License-Identifier: Apache-2.0
// What leaves the window: views as pictures, drawings, tables and text.
#include <QFileDialog>
#include <QFileInfo>
#include <QStackedWidget>

#include "gui/app/main_window.h"
#include "gui/models/text.h"

namespace vramscope::gui {

ExportableView& MainWindow::view() {
    // Every page is one.
    return *dynamic_cast<ExportableView*>(m_pages->currentWidget());
}

void MainWindow::copy(ExportableView& view, ExportForm form) {
    if (mode() != Mode::Pages) return;
    if (form == ExportForm::Svg && !canWriteSvg())
        return tell(tr("This viewer was built without Qt's SVG module."));
    tell(copyView(view, form) ? tr("Copied.") : tr("There is nothing to copy yet."));
}

void MainWindow::exportTo(ExportableView& view, const QString& title) {
    if (mode() != Mode::Pages) return;
    QStringList filters;
    const QList<ExportForm> forms = formsOf(view);
    for (const ExportForm form : forms)
        filters.append(filterOf(form, view));
    QString chosen;
    QString file = QFileDialog::getSaveFileName(this, title, {}, filters.join(QStringLiteral(";;")), &chosen);
    if (file.isEmpty()) return;
    // What the name says counts; without a say, what was chosen below it.
    std::optional<ExportForm> form = formOfFile(file);
    if (!form) {
        form = forms[std::max<qsizetype>(filters.indexOf(chosen), 0)];
        file += QLatin1Char('.') + filterOf(*form, view).section(QLatin1Char('.'), 1).chopped(1);
    }
    const Status written = writeView(view, *form, file);
    tell(written.isOk() ? tr("Written to %1").arg(file) : toText(written.message()));
}

}  // namespace vramscope::gui
