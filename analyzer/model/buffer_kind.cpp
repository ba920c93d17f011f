// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/buffer_kind.h"

namespace vramscope::model {

std::string_view description(BufferKind kind) {
    switch (kind) {
        case BufferKind::Device:
            return "device memory";
        case BufferKind::Async:
            return "stream-ordered memory";
        case BufferKind::Managed:
            return "managed memory";
        case BufferKind::Pinned:
            return "pinned host memory";
        case BufferKind::Registered:
            return "registered host memory";
        case BufferKind::Vmm:
            return "mapped physical memory";
        case BufferKind::Array:
            return "array";
        case BufferKind::Ipc:
            return "mapping of another process's memory";
        case BufferKind::Graph:
            return "graph memory";
        case BufferKind::Module:
            return "module variable";
        case BufferKind::Unknown:
            break;
    }
    return "memory of a kind this version does not know";
}

bool isOwnDeviceMemory(BufferKind kind) {
    return kind == BufferKind::Device || kind == BufferKind::Async || kind == BufferKind::Managed ||
           kind == BufferKind::Vmm || kind == BufferKind::Array || kind == BufferKind::Graph;
}

bool isPinnedHostMemory(BufferKind kind) {
    return kind == BufferKind::Pinned || kind == BufferKind::Registered;
}

}  // namespace vramscope::model
