// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/model/ids.h"

namespace vramscope::model {

/// A kernel was seen to write behind a buffer's end (`--engine exact`).
struct Overrun {
    ProcessId processId;
    BufferId bufferId;
    /// The buffer right behind it, if its first byte was written, too; else none.
    BufferId neighbourId;
    ThreadId threadId;
    StreamId streamId;
    StackId stackId;           ///< of the launch, or none
    std::string_view kernel;   ///< as the driver names it
    std::string_view place;    ///< "file:line" or "function+0x50" of the writing instruction; may be empty
    std::int64_t enterNs = 0;  ///< the launch, the first of `count`
    std::int64_t firstOffset = 0;  ///< of the first byte that was written, from the buffer's end
    std::int64_t bytes = 0;        ///< from the buffer's end to the last one
    std::int64_t count = 1;        ///< launches of the kernel that did it to these buffers
    bool touchesNobodys = false;   ///< bytes between buffers, which cannot be anybody's
    bool readsMemory = false;      ///< so it may have found an address there
    bool wasGiven = false;         ///< a pointer into the buffer was among its arguments
};

}  // namespace vramscope::model
