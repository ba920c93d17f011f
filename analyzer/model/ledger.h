// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/model/capture.h"
#include "analyzer/model/context_cost.h"
#include "analyzer/model/tracked_memory.h"

namespace vramscope::model {

/// One device's books at one of the driver's samples, the one with the most live bytes of those that show the
/// whole job. The parts of
/// `tracked` and `cost` and notAccountedBytes add up to reportedBytes; notAccountedBytes is what is left, so
/// it can be negative where an estimate was too high.
struct Ledger {
    DeviceId deviceId;
    std::int64_t timeNs = 0;
    /// The driver's number: for the job, or for the whole device.
    std::int64_t reportedBytes = 0;
    bool isWholeDevice = false;  ///< the driver lists no processes here, so others are part of the number
    TrackedBytes tracked;
    ContextCost cost;
    std::int64_t notAccountedBytes = 0;
    std::optional<std::int64_t> othersBytes;  ///< processes outside the job, where the driver lists them
    std::int64_t freeBytes = 0;
    std::int64_t totalBytes = 0;
};

/// The books of each device that was sampled, in order of the devices. Devices without samples have none.
std::vector<Ledger> ledgersAtPeak(const Capture& capture);

/// The last sample of a device at or before a moment; nullptr when there is none.
const MemorySample* sampleBefore(const Capture& capture, DeviceId device, std::int64_t timeNs);

}  // namespace vramscope::model
