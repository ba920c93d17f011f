// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractItemModel>
#include <QStringList>
#include <vector>

namespace vramscope::gui {

/// A model's role for what a file gets of a cell instead of the words on the screen: bytes and nanoseconds as
/// whole numbers. Without it the words are taken.
inline constexpr int kExactRole = Qt::UserRole + 100;

/// Rows of words that leave the program.
struct TextTable {
    QStringList heading;
    std::vector<QStringList> rows;
    std::int64_t leftOut = 0;  ///< rows beyond the most that were taken

    /// Every cell in quotes, the heading first. Words of a capture are a stranger's: what a spreadsheet would
    /// take for a formula gets an apostrophe in front.
    QString csv() const;
    /// In columns, for a letter or a terminal; says how many rows were left out.
    QString aligned() const;
};

/// The first rows of a model, in the order in which it shows them.
TextTable tableOf(const QAbstractItemModel& model, int mostRows, bool isExact);

}  // namespace vramscope::gui
