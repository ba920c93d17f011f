// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QList>
#include <QString>
#include <optional>

#include "formats/status.h"
#include "gui/views/exportable_view.h"

namespace vramscope::gui {

/// What a view can be written as.
enum class ExportForm { Png, Svg, Csv, Text };

/// False in a viewer that was built without Qt's SVG module.
bool canWriteSvg();

/// The forms of a view, the usual one for it first.
QList<ExportForm> formsOf(const ExportableView& view);
/// "Picture (*.png)" and so on, for a file dialog.
QString filterOf(ExportForm form, const ExportableView& view);
/// The form that a file name asks for by its ending; nullopt for any other ending.
std::optional<ExportForm> formOfFile(const QString& file);

/// The whole view at twice the resolution, so that words stay sharp on paper.
QImage pictureOf(ExportableView& view, double scale = 2);
/// The same as SVG. Empty where there is no SVG module.
QByteArray svgOf(ExportableView& view);
/// Writes a view to a file, or leaves what was there. System when it cannot be written; Usage when the view
/// has nothing of that form.
Status writeView(ExportableView& view, ExportForm form, const QString& file);
/// Puts a view on the clipboard; false when it has nothing of that form.
bool copyView(ExportableView& view, ExportForm form);

}  // namespace vramscope::gui
