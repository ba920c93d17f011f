// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "collector/recorder/arena_view.h"
#include "collector/recorder/capture_sink.h"
#include "collector/recorder/device_table.h"

namespace vramscope::collector {

/// What all resolvers of one process share.
struct ProcessScope {
    CaptureSink& sink;
    DeviceTable& devices;
    ArenaView& arena;
    std::int64_t processId;
    std::int64_t taskId;
};

/// One record on its way through the resolvers, with what every record says already looked up.
struct ResolvedCall {
    const formats::Record& record;
    std::uint8_t slotCount;
    std::int64_t threadId;
    std::int64_t stackId;    ///< 0 none
    std::int64_t contextId;  ///< 0 none

    const formats::RecordHeader& header() const { return record.header; }
    bool succeeded() const { return record.header.result == 0; }
    /// The text behind the first slot, cut to what the record really holds.
    std::string_view text(std::uint32_t textBytes) const {
        const std::size_t room = (slotCount - 1u) * formats::kSlotBytes;
        return {reinterpret_cast<const char*>(&record + 1), textBytes < room ? textBytes : room};
    }
};

}  // namespace vramscope::collector
