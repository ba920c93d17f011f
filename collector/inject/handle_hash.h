// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace vramscope::collector {

/// A number for the bytes of a handle that processes give each other: equal for equal bytes, in whichever
/// process; different ones share a number once in 2^64. The handle itself is not kept: whoever has its bytes
/// can open it. Never 0.
inline std::uint64_t handleHash(const void* bytes, std::size_t size) {
    std::uint64_t hash = 0x51A7'3C0D'9E3B'52F1ull;
    for (std::size_t at = 0; at + 8 <= size; at += 8) {
        std::uint64_t word;
        __builtin_memcpy(&word, static_cast<const char*>(bytes) + at, sizeof(word));
        hash = (hash ^ word) * 0x9E37'79B9'7F4A'7C15ull;
        hash ^= hash >> 29;
        hash = hash << 23 | hash >> 41;
    }
    hash *= 0xD6E8'FEB8'6659'FD93ull;
    hash ^= hash >> 32;
    return hash != 0 ? hash : 1;
}

}  // namespace vramscope::collector
