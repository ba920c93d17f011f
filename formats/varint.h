// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vramscope::formats {

/// Signed to unsigned so that small magnitudes stay small; wraps like the arithmetic it undoes.
constexpr std::uint64_t zigzag(std::uint64_t value) {
    return value << 1 ^ (0 - (value >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t value) {
    return value >> 1 ^ (0 - (value & 1));
}

/// Appends `value`, 7 bits a byte, low bits first: 1 byte below 128, 10 at most.
inline void putVarint(std::vector<std::byte>& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        out.push_back(static_cast<std::byte>(value | 0x80));
    out.push_back(static_cast<std::byte>(value));
}

/// Reads bytes that may be hostile: every read says whether there was enough, and nothing is read past the
/// end.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> bytes) : m_rest(bytes) {}

    std::size_t left() const { return m_rest.size(); }

    std::optional<std::uint8_t> byte() {
        if (m_rest.empty()) return std::nullopt;
        const auto value = static_cast<std::uint8_t>(m_rest.front());
        m_rest = m_rest.subspan(1);
        return value;
    }

    /// A varint no greater than `limit`; nullopt when it is cut, overlong or greater.
    std::optional<std::uint64_t> varint(std::uint64_t limit = ~std::uint64_t{0}) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < 10 && i < m_rest.size(); ++i) {
            const auto bits = static_cast<std::uint64_t>(m_rest[i]);
            if (i == 9 && bits > 1) return std::nullopt;
            value |= (bits & 0x7f) << (7 * i);
            if (bits < 0x80) {
                m_rest = m_rest.subspan(i + 1);
                return value <= limit ? std::optional(value) : std::nullopt;
            }
        }
        return std::nullopt;
    }

    std::optional<std::span<const std::byte>> bytes(std::size_t count) {
        if (count > m_rest.size()) return std::nullopt;
        const auto taken = m_rest.first(count);
        m_rest = m_rest.subspan(count);
        return taken;
    }

private:
    std::span<const std::byte> m_rest;
};

}  // namespace vramscope::formats
