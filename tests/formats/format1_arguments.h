// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "formats/argument_set.h"
#include "formats/varint.h"

namespace vramscope::formats {

/// A table as format 1 had it.
inline constexpr const char* kFormat1ArgumentSets =
    "CREATE TABLE argument_sets (argument_set_id INTEGER PRIMARY KEY, arguments BLOB NOT NULL) STRICT";

/// What format 1 stored for a set; see unpackArguments().
inline std::vector<std::byte> packAsFormat1(std::span<const LaunchArgument> arguments) {
    std::vector<std::byte> out;
    putVarint(out, arguments.size());
    LaunchArgument previous;
    for (const LaunchArgument& argument : arguments) {
        putVarint(out, argument.parameterOffset - previous.parameterOffset);
        putVarint(out, zigzag(static_cast<std::uint64_t>(argument.bufferId) -
                              static_cast<std::uint64_t>(previous.bufferId)));
        putVarint(out, packOffset(argument.offset));
        previous = argument;
    }
    return out;
}

}  // namespace vramscope::formats
