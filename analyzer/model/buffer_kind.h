// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace vramscope::model {

/// What a buffer is made of; the words of the capture's column buffers.kind.
enum class BufferKind : unsigned char {
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
    Unknown,  ///< a word that this version does not know
};

/// The capture's word for a kind.
std::string_view name(BufferKind kind);
BufferKind bufferKindFromName(std::string_view word);
/// The kind as a person says it: "pinned host memory", "array".
std::string_view description(BufferKind kind);

/// True when its bytes lie on the device and belong to the process (not host memory, not a neighbour's
/// bytes).
bool isOwnDeviceMemory(BufferKind kind);
/// True for host memory that the driver pinned or registered.
bool isPinnedHostMemory(BufferKind kind);

}  // namespace vramscope::model
