// SPDX-License-Identifier: Apache-2.0
#include "formats/table_pages.h"

#include <algorithm>
#include <limits>
#include <string>

#include "formats/capture_file.h"
#include "formats/page_bytes.h"

namespace vramscope::formats {
namespace {

constexpr std::size_t kFileHeaderBytes = 100;
constexpr std::byte kInteriorOfTable{5};
constexpr std::size_t kInteriorHeaderBytes = 12;
/// Deeper than a tree of SQLite's can be.
constexpr int kDeepest = 20;
constexpr std::uint64_t kUtf8 = 1;

/// Reads the inner pages of one tree.
class LeafFinder {
public:
    LeafFinder(Connection& connection, std::size_t pageBytes, std::size_t usableBytes,
               std::vector<TablePages::Leaf>& leaves)
        : m_connection(connection),
          m_pageBytes(pageBytes),
          m_usableBytes(usableBytes),
          m_pageCount(fileBytes(connection) / pageBytes),
          m_leaves(leaves) {}

    /// False when the tree is none.
    bool collect(std::int64_t root) {
        return root > 0 && visit(static_cast<std::uint64_t>(root), std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max(), 0);
    }

private:
    bool visit(std::uint64_t page, std::int64_t afterId, std::int64_t lastId, int depth) {
        if (page == 0 || page > m_pageCount || depth > kDeepest || afterId >= lastId) return false;
        // All leaves are equally deep: once one was seen the others need not be.
        if (depth == m_leafDepth) return addLeaf(page, afterId, lastId);
        std::vector<std::byte> bytes(m_pageBytes);
        if (!readFile(m_connection, bytes, (page - 1) * m_pageBytes)) return false;
        const std::size_t start = page == 1 ? kFileHeaderBytes : 0;
        if (bytes[start] != kInteriorOfTable) {
            m_leafDepth = depth;
            return addLeaf(page, afterId, lastId);
        }
        const std::size_t cells = bigEndian(bytes.data() + start + 3, 2);
        const std::size_t pointers = start + kInteriorHeaderBytes;
        if (pointers + 2 * cells > m_usableBytes) return false;
        for (std::size_t cell = 0; cell < cells; ++cell) {
            const std::size_t at = bigEndian(bytes.data() + pointers + 2 * cell, 2);
            if (at + 4 >= m_usableBytes) return false;
            ByteReader key(bytes.data() + at + 4, bytes.data() + m_usableBytes);
            const auto id = static_cast<std::int64_t>(key.varint());
            if (key.isPastEnd() || id > lastId) return false;
            if (!visit(bigEndian(bytes.data() + at, 4), afterId, id, depth + 1)) return false;
            afterId = id;
        }
        return visit(bigEndian(bytes.data() + start + 8, 4), afterId, lastId, depth + 1);
    }

    /// What is no leaf of a table shows when it is read.
    bool addLeaf(std::uint64_t page, std::int64_t afterId, std::int64_t lastId) {
        m_leaves.push_back({static_cast<std::uint32_t>(page), afterId, lastId});
        return m_leaves.size() <= m_pageCount;
    }

    Connection& m_connection;
    std::size_t m_pageBytes;
    std::size_t m_usableBytes;
    std::uint64_t m_pageCount;
    int m_leafDepth = -1;
    std::vector<TablePages::Leaf>& m_leaves;
};

/// Names of the table's columns in the order in which a row holds them; empty when a row does not hold all.
std::vector<std::string> storedColumns(Connection& connection, std::string_view table) {
    std::vector<std::string> names;
    auto row = connection.prepare("SELECT name, hidden FROM pragma_table_xinfo(?1) ORDER BY cid");
    if (!row.isOk()) return {};
    row->bind(1, table);
    for (;;) {
        const auto hasRow = row->step();
        if (!hasRow.isOk()) return {};
        if (!*hasRow) return names;
        if (row->columnInt(1) != 0 || names.size() == TablePages::kMostColumns) return {};
        names.emplace_back(row->columnText(0));
    }
}

}  // namespace

std::optional<TablePages> TablePages::find(Connection& connection, std::string_view table,
                                           std::span<const char* const> columns) {
    const SideFiles sideFiles = sideFilesOf(connection.name());
    if (sideFiles == SideFiles::Wal || sideFiles == SideFiles::Journal) return std::nullopt;
    TablePages pages;
    const std::vector<std::string> stored = storedColumns(connection, table);
    for (const char* column : columns) {
        const auto at = std::find(stored.begin(), stored.end(), column);
        if (at == stored.end()) return std::nullopt;
        pages.m_columns.push_back(static_cast<std::size_t>(at - stored.begin()));
    }
    pages.m_tableColumns = stored.size();
    auto root =
        connection.prepare("SELECT rootpage FROM main.sqlite_schema WHERE type = 'table' AND name = ?1");
    if (!root.isOk()) return std::nullopt;
    root->bind(1, table);
    const auto isThere = root->step();
    if (!isThere.isOk() || !*isThere) return std::nullopt;
    std::array<std::byte, kFileHeaderBytes> header{};
    if (!readFile(connection, header, 0) || bigEndian(header.data() + 56, 4) != kUtf8) return std::nullopt;
    const std::size_t stated = bigEndian(header.data() + 16, 2);
    pages.m_pageBytes = stated == 1 ? 65536 : stated;
    const auto reserved = static_cast<std::size_t>(header[20]);
    if (pages.m_pageBytes < 512 || pages.m_pageBytes < 480 + reserved) return std::nullopt;
    pages.m_usableBytes = pages.m_pageBytes - reserved;
    LeafFinder finder(connection, pages.m_pageBytes, pages.m_usableBytes, pages.m_leaves);
    if (!finder.collect(root->columnInt(0))) return std::nullopt;
    return pages;
}

}  // namespace vramscope::formats
