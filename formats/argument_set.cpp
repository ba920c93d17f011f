// SPDX-License-Identifier: Apache-2.0
#include "formats/argument_set.h"

#include "formats/varint.h"

namespace vramscope::formats {

Status unpackArguments(std::span<const std::byte> packed, std::vector<LaunchArgument>& out) {
    out.clear();
    Status damaged{ErrorKind::Unreadable, "an argument set is damaged"};
    ByteReader reader(packed);
    const auto count = reader.varint(kMaxLaunchArguments);
    // Three bytes at least an argument: a short blob cannot make us reserve for a long list.
    if (!count || *count > reader.left() / 3) return damaged;
    out.reserve(*count);
    LaunchArgument previous;
    for (std::uint64_t i = 0; i < *count; ++i) {
        const auto step = reader.varint(kMaxParameterOffset - previous.parameterOffset);
        const auto buffer = reader.varint();
        const auto offset = reader.varint();
        if (!step || !buffer || !offset) return damaged;
        previous.parameterOffset += static_cast<std::uint32_t>(*step);
        previous.bufferId =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(previous.bufferId) + unzigzag(*buffer));
        previous.offset = unpackOffset(*offset);
        out.push_back(previous);
    }
    return reader.left() == 0 ? Status::ok() : damaged;
}

}  // namespace vramscope::formats
