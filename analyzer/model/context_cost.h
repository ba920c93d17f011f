// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// What the driver itself holds for processes on a device, beyond all that they allocated.
struct ContextCost {
    std::int64_t contextBytes = 0;   ///< contexts and modules, as first seen beside each process's context
    std::int64_t laterBytes = 0;     ///< came while kernels were launched for the first time: their code
    std::int64_t startingBytes = 0;  ///< of processes whose context was still being made

    std::int64_t total() const { return contextBytes + laterBytes + startingBytes; }
};

/// The cost at `timeNs`. Each process is judged by its own samples, so that one which just starts is not
/// taken for something that the others hold. Where the driver lists no processes, all count as one.
ContextCost contextCostAt(const Capture& capture, DeviceId device, std::int64_t timeNs);

}  // namespace vramscope::model
