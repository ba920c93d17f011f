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

/// Packs a set for argument_sets.arguments. Equal lists give equal bytes, so the bytes can be the key for
/// storing each set once. Layout, all varints: count, then for each argument parameterOffset less the
/// previous one, zigzag(bufferId less the previous one), and the offset: twice its 512ths plus one when it is
/// a multiple of 512, else twice itself. `arguments` has at most kMaxLaunchArguments in rising order of
/// parameterOffset; offsets are below 2^63.
void packArguments(std::span<const LaunchArgument> arguments, std::vector<std::byte>& out);

/// The way back, safe on hostile bytes. Unreadable, with a sentence to be put behind the file's name, if they
/// are no set.
Status unpackArguments(std::span<const std::byte> packed, std::vector<LaunchArgument>& out);

}  // namespace vramscope::formats
