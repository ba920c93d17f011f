// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// One device's books at one of the driver's samples, the one with the most live bytes. The parts below add
/// up to reportedBytes; notAccountedBytes is what is left, so it can be negative where an estimate was too
/// high.
struct Ledger {
    DeviceId deviceId;
    std::int64_t timeNs = 0;
    std::int64_t reportedBytes =
        0;                       ///< the driver's number: for the job, or for the whole device (see below)
    bool isWholeDevice = false;  ///< the driver lists no processes here, so others are part of the number
    std::int64_t liveBytes = 0;
    std::int64_t poolUnusedBytes = 0;  ///< reserved by stream-ordered pools and not in use
    std::int64_t roundingBytes = 0;    ///< sizes rounded up to pages, and pages that a few small buffers hold
    std::int64_t contextBytes =
        0;                       ///< contexts and modules: what the driver reported beyond the rest at first
    std::int64_t oursBytes = 0;  ///< held because of the collector
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
