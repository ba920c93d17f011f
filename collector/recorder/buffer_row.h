// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/record.h"

namespace vramscope::collector {

/// One row of `buffers` in the making. Times are ticks as the records have them; the sink turns them into
/// session time. Optional ids are 0 when there is none. Names point to constants.
struct BufferRow {
    std::int64_t bufferId = 0;
    std::int64_t processId = 0;
    formats::BufferKind kind = formats::BufferKind::Device;
    std::uint64_t address = 0;
    std::uint64_t generation = 0;
    std::uint64_t sizeBytes = 0;
    std::int64_t contextId = 0;
    std::int64_t deviceId = 0;
    std::int64_t poolId = 0;
    std::int64_t handleId = 0;
    std::int64_t streamId = 0;
    std::uint64_t flags = 0;
    std::string_view api;
    std::uint64_t allocEnterTicks = 0;
    std::uint64_t allocTicks = 0;
    std::int64_t allocThreadId = 0;
    std::int64_t allocStackId = 0;
    std::uint64_t freeTicks = 0;  ///< 0 while it lives
    std::uint64_t freeExitTicks = 0;
    std::int64_t freeThreadId = 0;
    std::int64_t freeStackId = 0;
    std::int64_t freeStreamId = 0;
    std::string_view freeApi;
    std::string_view endKind;  ///< empty while it lives
    std::int64_t taskId = 0;
    int openCount = 1;  ///< kind ipc: opening a handle again counts up and gives the same address (cuda.h,
                        ///< cuIpcOpenMemHandle)

    bool isInserted = false;  ///< its row exists already; a change is an UPDATE
    bool isDirty = false;     ///< waiting in the sink

    bool isLive() const { return endKind.empty(); }
    /// One past its last byte; a buffer of unknown size holds at least its first byte.
    std::uint64_t end() const { return address + (sizeBytes != 0 ? sizeBytes : 1); }
};

}  // namespace vramscope::collector
