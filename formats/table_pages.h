// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/sqlite.h"

namespace vramscope::formats {

/// Where the rows of one table lie in a file, for reading them from its pages without SQLite's virtual
/// machine, which takes four times as long. Only a plain file is read so: no write-ahead log or journal
/// beside it, UTF-8, a table with row numbers and no generated columns. Whatever else there is, is SQLite's
/// to read and to complain about, so no function here reports an error. The page format is
/// https://www.sqlite.org/fileformat2.html.
class TablePages {
public:
    /// A leaf of the table's tree; its rows have numbers above `afterId` up to `lastId`.
    struct Leaf {
        std::uint32_t page = 0;
        std::int64_t afterId = 0;
        std::int64_t lastId = 0;
    };
    /// More columns than this are not read so.
    static constexpr std::size_t kMostColumns = 40;

    /// Finds the leaves of `table` and the places of `columns` in its rows; the first is the table's own row
    /// number. nullopt when the file is not plain. The caller holds a read transaction from before the call
    /// until the last row is read.
    static std::optional<TablePages> find(Connection& connection, std::string_view table,
                                          std::span<const char* const> columns);

    /// In order of the rows. Ranges of row numbers do not overlap, whatever the file holds.
    const std::vector<Leaf>& leaves() const { return m_leaves; }

private:
    friend class PageCursor;
    std::size_t m_pageBytes = 0;
    std::size_t m_usableBytes = 0;  ///< of each page
    std::size_t m_tableColumns = 0;
    std::vector<std::size_t> m_columns;  ///< of those that are read, their places in the table
    std::vector<Leaf> m_leaves;
};

/// Goes through the rows of some leaves. Columns are counted as TablePages::find() was given them and read as
/// those of a Statement.
class PageCursor {
public:
    /// Leaves `from` up to, not including, `to`. `connection` has the file of `pages` open, in a read
    /// transaction; it and `pages` outlive the cursor.
    PageCursor(Connection& connection, const TablePages& pages, std::size_t from, std::size_t to);

    /// Goes to the next row; false at the end, and when isOdd().
    bool step();
    /// Something is not as in a plain table: what was read is to be thrown away and read by a Statement.
    bool isOdd() const { return m_isOdd; }

    bool isNull(int column) const { return field(column).type == 0; }
    std::int64_t columnInt(int column) const;
    std::uint64_t columnAddress(int column) const { return static_cast<std::uint64_t>(columnInt(column)); }
    /// Valid until the next step().
    std::string_view columnText(int column) const;

private:
    struct Field {
        std::uint64_t type = 0;  ///< SQLite's serial type
        const std::byte* data = nullptr;
    };
    const Field& field(int column) const {
        return m_fields[m_pages.m_columns[static_cast<std::size_t>(column)]];
    }
    bool openLeaf();
    bool readPages();
    bool parseCell(std::size_t cell);

    Connection& m_connection;
    const TablePages& m_pages;
    std::vector<std::byte> m_buffer;  ///< pages that follow each other in the file
    std::uint32_t m_firstPage = 0;    ///< number of the first of them
    std::size_t m_pageCount = 0;
    std::size_t m_leaf;  ///< the one that is read
    std::size_t m_endLeaf;
    const std::byte* m_page = nullptr;  ///< of m_leaf; null before the first
    std::size_t m_cell = 0;             ///< the next of this page
    std::size_t m_cellCount = 0;
    std::int64_t m_id = 0;
    mutable bool m_isOdd = false;
    std::array<Field, TablePages::kMostColumns> m_fields{};
};

}  // namespace vramscope::formats
