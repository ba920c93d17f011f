// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// A buffer whose bytes are those of another one, from its first byte on.
struct SameMemory {
    const Buffer* buffer = nullptr;
    const IpcHandle* handle = nullptr;  ///< what the other process gave; null within one process
    bool isSure = true;                 ///< false where the import's origin is a guess
};

/// Which buffers of a capture are one physical memory: mappings of one handle, and what processes import from
/// one another. Immutable; reads are safe from any thread.
class SharedMemory {
public:
    explicit SharedMemory(const Capture& capture);

    /// The other buffers that are the same memory as `buffer` and have the older right to it: mappings that
    /// were made before it, and for an import what the exporter has.
    const std::vector<SameMemory>& olderThan(const Buffer& buffer) const;
    /// True when another buffer is, or once was, the same memory.
    bool isShared(BufferId buffer) const { return m_isShared.contains(buffer.value); }

private:
    struct Origin {
        const IpcHandle* handle = nullptr;
        bool isSure = true;
    };
    void linkImports(const Capture& capture);
    void linkMappings(const Capture& capture);
    void add(const Buffer& buffer, const SameMemory& older);

    std::unordered_map<std::int64_t, std::vector<SameMemory>> m_older;  ///< by buffer id
    std::unordered_map<std::int64_t, bool> m_isShared;                  ///< by buffer id
};

}  // namespace vramscope::model
