// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace vramscope::unwind {

/// Bytes from `begin` up to, not including, `end`. Owns nothing.
struct ByteRange {
    const uint8_t* begin = nullptr;
    const uint8_t* end = nullptr;

    bool empty() const noexcept { return begin == end; }
    size_t size() const noexcept { return static_cast<size_t>(end - begin); }
    bool contains(const uint8_t* position) const noexcept { return position >= begin && position < end; }
};

/// A cursor over bytes that nobody has checked. A read past the end gives zero, moves to the end and makes
/// ok() false for good, so a parser may test once after several reads. Little-endian hosts only, like all of
/// ours.
class ByteReader {
public:
    explicit ByteReader(ByteRange range) noexcept : m_position(range.begin), m_end(range.end) {}

    bool ok() const noexcept { return m_ok; }
    bool atEnd() const noexcept { return m_position == m_end; }
    const uint8_t* position() const noexcept { return m_position; }
    ByteRange rest() const noexcept { return {m_position, m_end}; }

    /// The next sizeof(Value) bytes, which need no alignment.
    template <typename Value>
    Value read() noexcept {
        Value value{};
        const uint8_t* from = take(sizeof(Value));
        if (from != nullptr) std::memcpy(&value, from, sizeof(Value));
        return value;
    }

    /// Unsigned LEB128. Bits above 64 make the reader fail rather than wrap.
    uint64_t readUleb() noexcept {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const uint64_t byte = read<uint8_t>();
            value |= (byte & 0x7f) << shift;
            if ((byte & 0x80) == 0) return value;
        }
        fail();
        return 0;
    }

    /// Signed LEB128.
    int64_t readSleb() noexcept {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64;) {
            const uint64_t byte = read<uint8_t>();
            value |= (byte & 0x7f) << shift;
            shift += 7;
            if ((byte & 0x80) != 0) continue;
            if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
            return static_cast<int64_t>(value);
        }
        fail();
        return 0;
    }

    void skip(uint64_t sizeBytes) noexcept { take(sizeBytes); }

    /// The next `sizeBytes` bytes as a range; empty after a failure.
    ByteRange readRange(uint64_t sizeBytes) noexcept {
        const uint8_t* from = take(sizeBytes);
        return from == nullptr ? ByteRange{m_end, m_end} : ByteRange{from, m_position};
    }

private:
    const uint8_t* take(uint64_t sizeBytes) noexcept {
        if (sizeBytes > static_cast<uint64_t>(m_end - m_position)) {
            fail();
            return nullptr;
        }
        const uint8_t* from = m_position;
        m_position += sizeBytes;
        return from;
    }

    void fail() noexcept {
        m_ok = false;
        m_position = m_end;
    }

    const uint8_t* m_position;
    const uint8_t* m_end;
    bool m_ok = true;
};

}  // namespace vramscope::unwind
