// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::detectors {

/// A request that the driver refused for want of memory.
struct FailedRequest {
    const model::FailedCall* call = nullptr;
    model::DeviceId deviceId;  ///< none for host memory, or where it is not known
    bool isHostMemory = false;
    /// The same thread's next allocation, when it got at least as much: the allocator made room and went on.
    const model::Buffer* recoveredBy = nullptr;
};

/// Every failed allocation with error 2 (out of memory), in order of the table.
std::vector<FailedRequest> failedRequests(const model::Capture& capture);

}  // namespace vramscope::detectors
