// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sqlite3.h>

#include "formats/page_bytes.h"
#include "formats/table_pages.h"

namespace vramscope::formats {
namespace {

constexpr std::byte kLeafOfTable{13};
constexpr std::size_t kFileHeaderBytes = 100;
constexpr std::size_t kLeafHeaderBytes = 8;
/// Read at once where leaves lie side by side.
constexpr std::size_t kReadBytes = 256 << 10;

sqlite3_file* fileOf(Connection& connection) {
    sqlite3_file* file = nullptr;
    const int code = sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return code == SQLITE_OK && file != nullptr && file->pMethods != nullptr ? file : nullptr;
}

/// Bytes that a value of a serial type takes.
std::uint64_t sizeOf(std::uint64_t type) {
    constexpr std::array<std::uint64_t, 12> kSizes{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < kSizes.size() ? kSizes[type] : (type - 12) / 2;
}

std::int64_t signedNumber(const std::byte* data, std::size_t size) {
    const auto unused = static_cast<unsigned>(64 - 8 * size);
    return static_cast<std::int64_t>(bigEndian(data, size) << unused) >> unused;
}

}  // namespace

bool readFile(Connection& connection, std::span<std::byte> out, std::uint64_t offset) {
    sqlite3_file* file = fileOf(connection);
    return file != nullptr && file->pMethods->xRead(file, out.data(), static_cast<int>(out.size()),
                                                    static_cast<sqlite3_int64>(offset)) == SQLITE_OK;
}

std::uint64_t fileBytes(Connection& connection) {
    sqlite3_file* file = fileOf(connection);
    sqlite3_int64 bytes = 0;
    if (file == nullptr || file->pMethods->xFileSize(file, &bytes) != SQLITE_OK) return 0;
    return static_cast<std::uint64_t>(std::max<sqlite3_int64>(bytes, 0));
}

PageCursor::PageCursor(Connection& connection, const TablePages& pages, std::size_t from, std::size_t to)
    : m_connection(connection),
      m_pages(pages),
      m_buffer(std::max(kReadBytes / pages.m_pageBytes, std::size_t{1}) * pages.m_pageBytes),
      m_leaf(from),
      m_endLeaf(std::min(to, pages.m_leaves.size())) {}

bool PageCursor::step() {
    while (!m_isOdd && m_leaf < m_endLeaf) {
        if (m_page == nullptr && !openLeaf()) break;
        if (m_cell < m_cellCount) {
            m_isOdd = !parseCell(m_cell++);
            return !m_isOdd;
        }
        m_page = nullptr;
        ++m_leaf;
    }
    return false;
}

bool PageCursor::openLeaf() {
    const TablePages::Leaf& leaf = m_pages.m_leaves[m_leaf];
    const bool isRead = leaf.page >= m_firstPage && leaf.page - m_firstPage < m_pageCount;
    if (!isRead && !readPages()) {
        m_isOdd = true;
        return false;
    }
    m_page = m_buffer.data() + (leaf.page - m_firstPage) * m_pages.m_pageBytes;
    const std::size_t start = leaf.page == 1 ? kFileHeaderBytes : 0;
    m_cell = 0;
    m_cellCount = bigEndian(m_page + start + 3, 2);
    m_id = leaf.afterId;
    m_isOdd =
        m_page[start] != kLeafOfTable || start + kLeafHeaderBytes + 2 * m_cellCount > m_pages.m_usableBytes;
    return !m_isOdd;
}

/// The page of m_leaf, and those behind it as far as their leaves follow.
bool PageCursor::readPages() {
    const std::vector<TablePages::Leaf>& leaves = m_pages.m_leaves;
    m_firstPage = leaves[m_leaf].page;
    m_pageCount = 1;
    const std::size_t most = m_buffer.size() / m_pages.m_pageBytes;
    while (m_pageCount < most && m_leaf + m_pageCount < m_endLeaf &&
           leaves[m_leaf + m_pageCount].page == m_firstPage + m_pageCount)
        ++m_pageCount;
    return readFile(m_connection, std::span(m_buffer).first(m_pageCount * m_pages.m_pageBytes),
                    (std::uint64_t{m_firstPage} - 1) * m_pages.m_pageBytes);
}

bool PageCursor::parseCell(std::size_t cell) {
    const TablePages::Leaf& leaf = m_pages.m_leaves[m_leaf];
    const std::size_t start = leaf.page == 1 ? kFileHeaderBytes : 0;
    const std::size_t at = bigEndian(m_page + start + kLeafHeaderBytes + 2 * cell, 2);
    if (at >= m_pages.m_usableBytes) return false;
    ByteReader reader(m_page + at, m_page + m_pages.m_usableBytes);
    const std::uint64_t payloadBytes = reader.varint();
    const auto id = static_cast<std::int64_t>(reader.varint());
    // A row that is longer goes on in other pages.
    if (payloadBytes > m_pages.m_usableBytes - 35 || payloadBytes > reader.left()) return false;
    if (id <= m_id || id > leaf.lastId) return false;
    m_id = id;
    const std::byte* payload = reader.at();
    const std::byte* end = payload + payloadBytes;
    ByteReader header(payload, end);
    const std::uint64_t headerBytes = header.varint();
    if (headerBytes > payloadBytes) return false;
    const std::byte* data = payload + headerBytes;
    ByteReader types(header.at(), std::max(data, header.at()));
    for (std::size_t column = 0; column < m_pages.m_tableColumns; ++column) {
        // Rows from before a column was added end earlier.
        if (types.left() == 0) return false;
        const std::uint64_t type = types.varint();
        const std::uint64_t bytes = sizeOf(type);
        if (bytes > static_cast<std::uint64_t>(end - data)) return false;
        m_fields[column] = {type, data};
        data += bytes;
    }
    return types.left() == 0 && !types.isPastEnd() && isNull(0);
}

std::int64_t PageCursor::columnInt(int column) const {
    if (column == 0) return m_id;
    const Field& value = field(column);
    switch (value.type) {
        case 0:
        case 8:
            return 0;
        case 9:
            return 1;
        case 1:
            return signedNumber(value.data, 1);
        case 2:
            return signedNumber(value.data, 2);
        case 3:
            return signedNumber(value.data, 3);
        case 4:
            return signedNumber(value.data, 4);
        case 5:
            return signedNumber(value.data, 6);
        case 6:
            return signedNumber(value.data, 8);
        default:
            m_isOdd = true;
            return 0;
    }
}

std::string_view PageCursor::columnText(int column) const {
    const Field& value = field(column);
    if (value.type == 0) return {};
    if (value.type < 13 || value.type % 2 == 0) {
        m_isOdd = true;
        return {};
    }
    return {reinterpret_cast<const char*>(value.data), static_cast<std::size_t>(sizeOf(value.type))};
}

}  // namespace vramscope::formats
