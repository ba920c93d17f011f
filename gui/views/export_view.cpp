// SPDX-License-Identifier: Apache-2.0
#include "gui/views/export_view.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QFileInfo>
#include <QMimeData>
#include <QPainter>
#include <QSaveFile>
#include <QTextDocument>
#include <QWidget>
#include <algorithm>
#include <memory>

#ifdef VRAMSCOPE_WITH_SVG
#include <QSvgGenerator>
#endif

namespace vramscope::gui {
namespace {

/// A side of a picture: larger ones are refused by image libraries, and a text that long is read, not looked
/// at.
constexpr int kLongestSide = 16'000;
constexpr int kTextWidth = 900;

QString translated(const char* text) {
    return QApplication::translate("ExportView", text);
}

/// A copy that is as wide as a page, whatever the window is.
std::unique_ptr<QTextDocument> pageOf(const ExportableView& view) {
    if (!view.document()) return nullptr;
    std::unique_ptr<QTextDocument> page(view.document()->clone());
    page->setTextWidth(kTextWidth);
    return page;
}

QSize sizeOf(const QTextDocument* page, const QWidget& widget) {
    const QSize size = page ? page->size().toSize() : widget.size();
    return size.boundedTo({kLongestSide, kLongestSide}).expandedTo({1, 1});
}

void paint(QPainter& painter, QTextDocument* page, QWidget& widget, const QSize& size) {
    painter.setFont(widget.font());
    if (!page) return widget.render(&painter, {}, {}, QWidget::DrawWindowBackground | QWidget::DrawChildren);
    painter.fillRect(QRect({0, 0}, size), widget.palette().base());
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette = widget.palette();
    page->documentLayout()->draw(&painter, context);
}

}  // namespace

bool canWriteSvg() {
#ifdef VRAMSCOPE_WITH_SVG
    return true;
#else
    return false;
#endif
}

QList<ExportForm> formsOf(const ExportableView& view) {
    QList<ExportForm> forms{ExportForm::Png};
    if (canWriteSvg()) forms.append(ExportForm::Svg);
    view.document() ? forms.prepend(ExportForm::Text) : forms.append(ExportForm::Text);
    forms.append(ExportForm::Csv);
    return forms;
}

QString filterOf(ExportForm form, const ExportableView& view) {
    switch (form) {
        case ExportForm::Png:
            return translated("Picture (*.png)");
        case ExportForm::Svg:
            return translated("Drawing (*.svg)");
        case ExportForm::Csv:
            return translated("Table (*.csv)");
        case ExportForm::Text:
            return view.textSuffix() == QLatin1String("md") ? translated("Markdown (*.md)")
                                                            : translated("Text (*.txt)");
    }
    return {};
}

std::optional<ExportForm> formOfFile(const QString& file) {
    const QString suffix = QFileInfo(file).suffix().toLower();
    if (suffix == QLatin1String("png")) return ExportForm::Png;
    if (suffix == QLatin1String("svg")) return ExportForm::Svg;
    if (suffix == QLatin1String("csv")) return ExportForm::Csv;
    if (suffix == QLatin1String("txt") || suffix == QLatin1String("md")) return ExportForm::Text;
    return std::nullopt;
}

QImage pictureOf(ExportableView& view, double scale) {
    const std::unique_ptr<QTextDocument> page = pageOf(view);
    const QSize size = sizeOf(page.get(), view.pictured());
    scale = std::min(scale, static_cast<double>(kLongestSide) / std::max(size.width(), size.height()));
    QImage image(size * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    image.fill(view.pictured().palette().color(QPalette::Base));
    QPainter painter(&image);
    paint(painter, page.get(), view.pictured(), size);
    return image;
}

QByteArray svgOf(ExportableView& view) {
#ifdef VRAMSCOPE_WITH_SVG
    const std::unique_ptr<QTextDocument> page = pageOf(view);
    const QSize size = sizeOf(page.get(), view.pictured());
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect({0, 0}, size));
    generator.setTitle(view.pictured().accessibleName());
    generator.setResolution(96);
    QPainter painter(&generator);
    paint(painter, page.get(), view.pictured(), size);
    painter.end();
    return buffer.data();
#else
    (void)view;
    return {};
#endif
}

namespace {

QByteArray dataOf(ExportableView& view, ExportForm form) {
    switch (form) {
        case ExportForm::Png: {
            QBuffer buffer;
            pictureOf(view).save(&buffer, "PNG");
            return buffer.data();
        }
        case ExportForm::Svg:
            return svgOf(view);
        case ExportForm::Csv:
            return view.asCsv().toUtf8();
        case ExportForm::Text:
            return view.asText().toUtf8();
    }
    return {};
}

}  // namespace

Status writeView(ExportableView& view, ExportForm form, const QString& file) {
    if (form == ExportForm::Svg && !canWriteSvg())
        return {ErrorKind::Usage,
                "This viewer was built without Qt's SVG module (Debian: qt6-svg-dev); a picture can be PNG."};
    const QByteArray data = dataOf(view, form);
    if (data.isEmpty()) return {ErrorKind::Usage, "There is nothing of that form to write yet."};
    QSaveFile out(file);
    if (out.open(QIODevice::WriteOnly) && out.write(data) == data.size() && out.commit()) return Status::ok();
    return {ErrorKind::System,
            file.toStdString() + " could not be written: " + out.errorString().toStdString() + "."};
}

bool copyView(ExportableView& view, ExportForm form) {
    auto mime = std::make_unique<QMimeData>();
    if (form == ExportForm::Png) {
        mime->setImageData(pictureOf(view));
    } else {
        const QByteArray data = dataOf(view, form);
        if (data.isEmpty()) return false;
        if (form == ExportForm::Svg) mime->setData(QStringLiteral("image/svg+xml"), data);
        if (form == ExportForm::Csv) mime->setData(QStringLiteral("text/csv"), data);
        mime->setText(QString::fromUtf8(data));
    }
    QApplication::clipboard()->setMimeData(mime.release());
    return true;
}

}  // namespace vramscope::gui
