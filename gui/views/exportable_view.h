// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

class QTextDocument;
class QWidget;

namespace vramscope::gui {

/// A view whose contents a person can take along: as a picture, for a spreadsheet, or as words. Every page of
/// the window is one, and the time line.
class ExportableView {
public:
    virtual ~ExportableView() = default;

    /// What a picture shows. A widget inside of a scroll area is shown whole, not as far as it is scrolled
    /// to.
    virtual QWidget& pictured() = 0;
    /// The text that is shown, where a view is a text: its picture is all of it. nullptr for drawings and
    /// tables.
    virtual const QTextDocument* document() const { return nullptr; }
    /// What is shown as rows with a heading, bytes and nanoseconds as whole numbers. Empty when nothing is
    /// shown.
    virtual QString asCsv() const = 0;
    /// The same for people. Empty when nothing is shown.
    virtual QString asText() const = 0;
    /// What asText() is written in, for the name of a file: "txt" or "md".
    virtual QString textSuffix() const { return QStringLiteral("txt"); }
};

/// Most rows that a table is exported with; more are for `vramscope query`.
inline constexpr int kMostExportedRows = 1'000'000;
/// Most rows of a table as words: nobody reads more, and they go through the clipboard.
inline constexpr int kMostTextRows = 2'000;

}  // namespace vramscope::gui
