// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/buffer_kind.h"

#include <array>

namespace vramscope::model {
namespace {

struct Entry {
    BufferKind kind;
    std::string_view name;
    std::string_view description;
};

constexpr std::array<Entry, 11> kEntries{{
    {BufferKind::Device, "device", "device memory"},
    {BufferKind::Async, "async", "stream-ordered memory"},
    {BufferKind::Managed, "managed", "managed memory"},
    {BufferKind::Pinned, "pinned", "pinned host memory"},
    {BufferKind::Registered, "registered", "registered host memory"},
    {BufferKind::Vmm, "vmm", "mapped physical memory"},
    {BufferKind::Array, "array", "array"},
    {BufferKind::Ipc, "ipc", "mapping of another process's memory"},
    {BufferKind::Graph, "graph", "graph memory"},
    {BufferKind::Module, "module", "module variable"},
    {BufferKind::Unknown, "unknown", "memory of a kind this version does not know"},
}};

const Entry& entryOf(BufferKind kind) {
    for (const Entry& entry : kEntries) {
        if (entry.kind == kind) return entry;
    }
    return kEntries.back();
}

}  // namespace

std::string_view name(BufferKind kind) {
    return entryOf(kind).name;
}

std::string_view description(BufferKind kind) {
    return entryOf(kind).description;
}

BufferKind bufferKindFromName(std::string_view word) {
    for (const Entry& entry : kEntries) {
        if (entry.name == word) return entry.kind;
    }
    return BufferKind::Unknown;
}

bool isOwnDeviceMemory(BufferKind kind) {
    return kind == BufferKind::Device || kind == BufferKind::Async || kind == BufferKind::Managed ||
           kind == BufferKind::Vmm || kind == BufferKind::Array || kind == BufferKind::Graph;
}

bool isPinnedHostMemory(BufferKind kind) {
    return kind == BufferKind::Pinned || kind == BufferKind::Registered;
}

}  // namespace vramscope::model
