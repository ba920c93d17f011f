// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/status.h"

namespace vramscope::formats {

/// One pointer that a launch was given.
struct LaunchArgument {
    std::uint32_t parameterOffset = 0;  ///< byte offset in the kernel's parameter block
    std::int64_t bufferId = 0;          ///< buffer it points into; 0 when that is none we know
    std::uint64_t offset = 0;           ///< bytes into the buffer; without a buffer, the address itself
    bool operator==(const LaunchArgument&) const = default;
};

/// More than a parameter block (at most 32,764 bytes) has room for.
inline constexpr std::size_t kMaxLaunchArguments = 8192;
/// Above every parameter offset.
inline constexpr std::uint64_t kMaxParameterOffset = 0xFFFF;

/// An offset as the packed forms store it: most are multiples of 512, as CUDA's and PyTorch's allocators
/// align, and then twice the 512ths plus one; else twice the offset. Offsets are below 2^63.
constexpr std::uint64_t packOffset(std::uint64_t offset) {
    return (offset & 511) == 0 ? offset >> 9 << 1 | 1 : offset << 1;
}
constexpr std::uint64_t unpackOffset(std::uint64_t packed) {
    return (packed & 1) != 0 ? packed >> 1 << 9 : packed >> 1;
}

/// Has a row if the capture has such a table, as those of format 1 do and those that were recovered from it.
inline constexpr const char* kHasArgumentSetTable =
    "SELECT 1 FROM main.sqlite_schema WHERE name = 'argument_sets' AND type = 'table' AND sql LIKE 'CREATE "
    "TABLE %'";

/// Reads one set as captures of format 1 store it, a row a set in a table argument_sets. Layout, all varints:
/// count, then for each argument parameterOffset less the previous one, zigzag(bufferId less the previous
/// one) and packOffset(offset). Safe on hostile bytes: Unreadable, with a sentence to be put behind the
/// file's name, if they are no set.
Status unpackArguments(std::span<const std::byte> packed, std::vector<LaunchArgument>& out);

}  // namespace vramscope::formats
