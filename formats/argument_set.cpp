// SPDX-License-Identifier: Apache-2.0
#include "formats/argument_set.h"

#include "formats/varint.h"

namespace vramscope::formats {

namespace {

// The alignment of what CUDA's and PyTorch's allocators hand out, hence of most offsets in a pooled buffer.
constexpr int kAlignmentBits = 9;
constexpr std::uint64_t kAlignmentMask = (1U << kAlignmentBits) - 1;
constexpr std::uint64_t kMaxParameterOffset = 0xFFFF;

}  // namespace

void packArguments(std::span<const LaunchArgument> arguments, std::vector<std::byte>& out) {
    out.clear();
    putVarint(out, arguments.size());
    LaunchArgument previous;
    for (const LaunchArgument& argument : arguments) {
        putVarint(out, argument.parameterOffset - previous.parameterOffset);
        putVarint(out, zigzag(static_cast<std::uint64_t>(argument.bufferId) -
                              static_cast<std::uint64_t>(previous.bufferId)));
        const bool aligned = (argument.offset & kAlignmentMask) == 0;
        putVarint(out, aligned ? argument.offset >> kAlignmentBits << 1 | 1 : argument.offset << 1);
        previous = argument;
    }
}

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
        previous.offset = (*offset & 1) != 0 ? *offset >> 1 << kAlignmentBits : *offset >> 1;
        out.push_back(previous);
    }
    return reader.left() == 0 ? Status::ok() : damaged;
}

}  // namespace vramscope::formats
