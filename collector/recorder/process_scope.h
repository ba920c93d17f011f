// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "collector/api_names/api_names.h"
#include "collector/recorder/arena_view.h"
#include "collector/recorder/capture_sink.h"
#include "collector/recorder/device_table.h"

namespace vramscope::collector {

class DescriptorTable;
class TaskResolver;

/// What all resolvers of one process share.
struct ProcessScope {
    CaptureSink& sink;
    DeviceTable& devices;
    ArenaView& arena;
    std::int64_t processId;
    std::int64_t taskId;                     ///< of the process by itself
    TaskResolver* tasks = nullptr;           ///< set once the process has its resolvers
    DescriptorTable* descriptors = nullptr;  ///< of the whole session; null where nobody compares descriptors
    std::uint32_t pid = 0;                   ///< in the recorder's pid namespace, with descriptors
};

/// The default streams' handles, which mean another stream in each context, and the latter in each thread
/// (cuda.h 13.0, CU_STREAM_PER_THREAD).
inline constexpr std::uint64_t kLegacyStream = 0;
inline constexpr std::uint64_t kPerThreadStream = 2;

/// One record on its way through the resolvers, with what every record says already looked up.
struct ResolvedCall {
    const formats::Record& record;
    std::uint8_t slotCount;
    std::int64_t threadId;
    std::int64_t stackId;    ///< 0 none
    std::int64_t contextId;  ///< 0 none

    const formats::RecordHeader& header() const { return record.header; }
    bool succeeded() const { return record.header.result == 0; }
    /// The stream that a handle given to this call means: 0 is the thread's own in calls of programs that
    /// were built so, and CU_STREAM_LEGACY is another name of the legacy stream.
    std::uint64_t streamMeantBy(std::uint64_t handle) const {
        constexpr std::uint64_t kExplicitLegacy = 1;
        if (handle == kExplicitLegacy) return kLegacyStream;
        return handle == 0 && api_names::usesPerThreadStream(header().api) ? kPerThreadStream : handle;
    }
    /// The text behind the first slot, cut to what the record really holds.
    std::string_view text(std::uint32_t textBytes) const {
        const std::size_t room = (slotCount - 1u) * formats::kSlotBytes;
        return {reinterpret_cast<const char*>(&record + 1), textBytes < room ? textBytes : room};
    }
};

}  // namespace vramscope::collector
