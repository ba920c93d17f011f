// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace vramscope::formats {

/// What a buffer is made of; a byte in the record of its allocation, a word in the capture.
enum class BufferKind : std::uint8_t {
    Device,
    Async,
    Managed,
    Pinned,
    Registered,
    Vmm,
    Array,
    Ipc,
    Graph,
    Module,
    Unknown,  ///< never recorded: for a word that this version does not know
};

/// The word of column buffers.kind.
constexpr std::string_view bufferKindName(BufferKind kind) {
    switch (kind) {
        case BufferKind::Device:
            return "device";
        case BufferKind::Async:
            return "async";
        case BufferKind::Managed:
            return "managed";
        case BufferKind::Pinned:
            return "pinned";
        case BufferKind::Registered:
            return "registered";
        case BufferKind::Vmm:
            return "vmm";
        case BufferKind::Array:
            return "array";
        case BufferKind::Ipc:
            return "ipc";
        case BufferKind::Graph:
            return "graph";
        case BufferKind::Module:
            return "module";
        case BufferKind::Unknown:
            break;
    }
    return "unknown";
}

/// The way back.
constexpr BufferKind bufferKindFromName(std::string_view name) {
    for (std::uint8_t kind = 0; kind < static_cast<std::uint8_t>(BufferKind::Unknown); ++kind) {
        if (bufferKindName(static_cast<BufferKind>(kind)) == name) return static_cast<BufferKind>(kind);
    }
    return BufferKind::Unknown;
}

}  // namespace vramscope::formats
