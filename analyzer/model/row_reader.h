// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/model/amounts.h"
#include "analyzer/model/capture_loader.h"
#include "formats/sqlite.h"

namespace vramscope::model {

/// Reads the columns of the current row from left to right, turning what a hostile file may hold into sane
/// values: negative sizes are remembered as an error, times are kept at zero or later, texts go to the string
/// pool.
class RowReader {
public:
    RowReader(formats::Statement& statement, StringPool& strings)
        : m_statement(statement), m_strings(strings) {}

    void startRow() { m_column = 0; }
    bool sawBadSize() const { return m_sawBadSize; }

    template <typename Tag>
    void read(Id<Tag>& id) {
        id.value = m_statement.isNull(m_column) ? -1 : m_statement.columnInt(m_column);
        if (id.value < 0) id.value = -1;
        ++m_column;
    }
    void read(std::string_view& text) { text = m_strings.intern(m_statement.columnText(m_column++)); }
    void read(std::int64_t& number) { number = m_statement.columnInt(m_column++); }
    void read(std::int32_t& number) { number = static_cast<std::int32_t>(m_statement.columnInt(m_column++)); }
    void read(bool& flag) { flag = m_statement.columnInt(m_column++) != 0; }
    void read(std::optional<std::int64_t>& number) { number = m_statement.columnOptionalInt(m_column++); }
    void read(BufferKind& kind) { kind = bufferKindFromName(m_statement.columnText(m_column++)); }
    void read(EndKind& kind) { kind = endKindFromName(m_statement.columnText(m_column++)); }

    /// Several columns, in order.
    template <typename First, typename Second, typename... Rest>
    void read(First& first, Second& second, Rest&... rest) {
        read(first);
        if constexpr (sizeof...(Rest) == 0)
            read(second);
        else
            read(second, rest...);
    }

    /// A moment; NULL is kNever.
    void readTime(std::int64_t& timeNs) {
        const std::int64_t value = m_statement.isNull(m_column) ? kNever : m_statement.columnInt(m_column);
        timeNs = value < 0 ? 0 : value;
        ++m_column;
    }
    /// A number of bytes; NULL is 0.
    void readBytes(std::int64_t& bytes) {
        bytes = m_statement.columnInt(m_column++);
        if (bytes >= 0 && bytes <= kLargestBytes) return;
        m_sawBadSize = true;
        bytes = 0;
    }
    void readBytes(std::optional<std::int64_t>& bytes) {
        if (m_statement.isNull(m_column)) {
            bytes = std::nullopt;
            ++m_column;
            return;
        }
        std::int64_t value = 0;
        readBytes(value);
        bytes = value;
    }
    /// A pool's release threshold is a number that may be "everything" (all bits set), so it has no bound.
    void readThreshold(std::optional<std::int64_t>& bytes) {
        bytes = m_statement.columnOptionalInt(m_column++);
        if (bytes && *bytes < 0) bytes = kNever;
    }

private:
    formats::Statement& m_statement;
    StringPool& m_strings;
    int m_column = 0;
    bool m_sawBadSize = false;
};

/// Runs `sql` and gives each row to `readRow(RowReader&)`. `what` names the table in an error.
template <typename ReadRow>
Status readRows(formats::Connection& connection, StringPool& strings, std::string_view what,
                const std::string& sql, ReadRow readRow) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement statement, connection.prepare(sql));
    RowReader reader(statement, strings);
    for (std::int64_t count = 0;; ++count) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, statement.step());
        if (!hasRow) break;
        if (count == kMostRows) {
            return {ErrorKind::Unreadable,
                    connection.name() + ": table " + std::string(what) +
                        " has more rows than a capture can have. The file is damaged or "
                        "was made to do harm; it was not opened."};
        }
        reader.startRow();
        readRow(reader);
    }
    if (reader.sawBadSize()) {
        return {ErrorKind::Unreadable,
                connection.name() + ": table " + std::string(what) +
                    " holds a size that no memory can have. The file is damaged; record "
                    "again, or try `vramscope recover` on the session if it still exists."};
    }
    return Status::ok();
}

/// Fills one table of a capture: reads `columns` of all its rows and gives each to `readRow(RowReader&,
/// Row&)`.
template <typename Row, typename IdType, typename ReadRow>
Status loadTable(formats::Connection& connection, StringPool& strings, Table<Row, IdType>& table,
                 const std::string& name, const std::string& columns, ReadRow readRow) {
    std::vector<Row> rows;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, strings, name, "SELECT " + columns + " FROM " + name,
                                       [&](RowReader& row) { readRow(row, rows.emplace_back()); }));
    table = Table<Row, IdType>(std::move(rows));
    return Status::ok();
}

}  // namespace vramscope::model
