// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "formats/record.h"

namespace vramscope::formats {

/// The high-volume events of a capture, as the recorder resolves them and the analyzer reads them. Ids are
/// those of the tables in schema.sql, with 0 for none; times are nanoseconds since the session began; `api`
/// indexes the names of the chunk (ChunkNames), 0 for none; `result` is the call's CUresult.

struct LaunchEvent {
    std::int64_t enterNs = 0;
    std::int64_t exitNs = 0;
    std::int64_t processId = 0;
    std::int64_t threadId = 0;
    std::int64_t streamId = 0;
    std::int64_t kernelId = 0;
    std::uint32_t gridX = 0, gridY = 0, gridZ = 0;
    std::uint32_t blockX = 0, blockY = 0, blockZ = 0;
    std::int64_t argumentSetId = 0;
    std::int64_t stackId = 0;
    std::uint32_t result = 0;
    bool operator==(const LaunchEvent&) const = default;
};

enum class CopyDirection : std::uint8_t {
    Unknown,
    HostToHost,
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    Peer
};

struct CopyEvent {
    std::int64_t enterNs = 0;
    std::int64_t exitNs = 0;
    std::int64_t processId = 0;
    std::int64_t threadId = 0;
    std::uint32_t api = 0;
    std::int64_t srcBufferId = 0;  ///< 0: not in a buffer, for example pageable host memory
    std::uint64_t srcOffset = 0;   ///< bytes into the buffer
    std::uint64_t srcAddress = 0;  ///< as given to the call; the handle of an array
    std::int64_t dstBufferId = 0;
    std::uint64_t dstOffset = 0;
    std::uint64_t dstAddress = 0;
    std::uint64_t bytes = 0;                             ///< total bytes copied
    std::uint64_t widthBytes = 0;                        ///< bytes of a row; 0 for a copy without rows
    std::uint64_t rows = 0;                              ///< rows of a slice; 0 for a copy without rows
    std::uint64_t slices = 0;                            ///< slices; 0 for a copy without rows
    std::uint64_t srcPitch = 0, dstPitch = 0;            ///< bytes from row to row
    std::uint64_t srcSlicePitch = 0, dstSlicePitch = 0;  ///< bytes from slice to slice
    std::int64_t streamId = 0;
    std::int64_t stackId = 0;
    std::uint32_t result = 0;
    CopyDirection direction = CopyDirection::Unknown;
    bool isAsync = false;
    bool operator==(const CopyEvent&) const = default;
};

/// cuMemset and, with isStreamWrite, cuStreamWriteValue.
struct SetEvent {
    std::int64_t enterNs = 0;
    std::int64_t exitNs = 0;
    std::int64_t processId = 0;
    std::int64_t threadId = 0;
    std::uint32_t api = 0;
    std::int64_t dstBufferId = 0;
    std::uint64_t dstOffset = 0;
    std::uint64_t dstAddress = 0;
    std::uint64_t bytes = 0;  ///< total bytes written
    std::uint64_t value = 0;
    std::uint32_t elementBytes = 0;  ///< 1, 2, 4 or 8
    std::uint64_t widthBytes = 0;
    std::uint64_t rows = 0;
    std::uint64_t pitch = 0;
    std::int64_t streamId = 0;
    std::int64_t stackId = 0;
    std::uint32_t result = 0;
    bool isAsync = false;
    bool isStreamWrite = false;
    bool operator==(const SetEvent&) const = default;
};

/// What orders work with work: SyncKind of formats/record.h.
struct SyncEvent {
    std::int64_t enterNs = 0;
    std::int64_t exitNs = 0;
    std::int64_t processId = 0;
    std::int64_t threadId = 0;
    std::uint32_t api = 0;
    SyncKind kind = SyncKind::StreamSync;
    std::int64_t streamId = 0;
    std::int64_t contextId = 0;
    std::int64_t objectId = 0;  ///< the event's row in `objects`
    std::uint64_t handle = 0;   ///< the event's handle, or the address of a waited-on value
    std::uint64_t value = 0;    ///< the value waited for
    std::int64_t stackId = 0;
    std::uint32_t result = 0;  ///< a query that found work pending gives CUDA_ERROR_NOT_READY (600)
    std::uint32_t flags =
        0;  ///< the call's flags; of a wait for a value how it is compared (CUstreamWaitValue_flags)
    bool operator==(const SyncEvent&) const = default;
};

/// The kinds of chunk; their names are the values of event_chunks.kind and the names of the virtual tables.
enum class EventKind : std::uint8_t { Launches, Copies, Sets, Syncs };
inline constexpr int kEventKindCount = 4;

}  // namespace vramscope::formats
