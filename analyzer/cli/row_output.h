// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::cli {

/// How rows of a query are printed.
enum class RowFormat { Table, Csv, Json };

/// A value of a row. Blobs are told by their length: they are packed data, not for eyes.
struct Cell {
    formats::Statement::ColumnType type = formats::Statement::ColumnType::Null;
    std::string text;
};

/// The value in a column of the current row.
Cell readCell(const formats::Statement& statement, int column);

/// Runs `statement` to its end and prints its rows as they come (a table needs all of them first, and is cut
/// at kMostTableRows with a message).
Status printRows(formats::Statement& statement, RowFormat format);

inline constexpr std::size_t kMostTableRows = 10'000;

}  // namespace vramscope::cli
