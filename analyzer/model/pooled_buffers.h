// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_set>

#include "analyzer/model/capture.h"
#include "analyzer/model/library_cache.h"

namespace vramscope::model {

/// Buffers that an allocator above CUDA cuts up while nothing says whose the pieces are. Rules about owners
/// pass over them, but for pieces of which the program itself says whose they are.
struct PooledBuffers {
    std::unordered_set<std::int64_t> ids;  ///< by buffer id
    std::int64_t bytes = 0;                ///< of all of them
};

PooledBuffers buffersCutUpUnseen(const Capture& capture, LibraryCache& libraries);

/// Of a capture with more tasks than its processes are; empty for others, whose owners are not in question.
PooledBuffers buffersSkippedByOwnership(const Capture& capture);

}  // namespace vramscope::model
