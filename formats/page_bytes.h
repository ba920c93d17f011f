// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/sqlite.h"

namespace vramscope::formats {

/// An unsigned number of `size` bytes, at most 8, the most significant first, as SQLite's pages hold them.
inline std::uint64_t bigEndian(const std::byte* data, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value = value << 8U | static_cast<std::uint64_t>(data[i]);
    return value;
}

/// Takes SQLite's numbers of variable length off a stretch of bytes.
class ByteReader {
public:
    ByteReader(const std::byte* begin, const std::byte* end) : m_at(begin), m_end(end) {}

    /// One to nine bytes; 0 past the end.
    std::uint64_t varint() {
        if (m_at < m_end && (*m_at & std::byte{0x80}) == std::byte{0})
            return static_cast<std::uint64_t>(*m_at++);
        return longVarint();
    }
    const std::byte* at() const { return m_at; }
    std::size_t left() const { return static_cast<std::size_t>(m_end - m_at); }
    bool isPastEnd() const { return m_isPastEnd; }

private:
    std::uint64_t longVarint() {
        std::uint64_t value = 0;
        for (int i = 0; i < 9; ++i) {
            if (m_at == m_end) {
                m_isPastEnd = true;
                return 0;
            }
            const auto byte = static_cast<std::uint64_t>(*m_at++);
            if (i == 8) return value << 8U | byte;
            value = value << 7U | (byte & 0x7fU);
            if ((byte & 0x80U) == 0) return value;
        }
        return value;
    }

    const std::byte* m_at;
    const std::byte* m_end;
    bool m_isPastEnd = false;
};

/// Bytes of the database file, through SQLite's own descriptor: closing another one would drop the locks that
/// SQLite holds on the file. False when they are not there.
bool readFile(Connection& connection, std::span<std::byte> out, std::uint64_t offset);
/// 0 when it cannot be told.
std::uint64_t fileBytes(Connection& connection);

}  // namespace vramscope::formats
