// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include "collector/inject/call_stack.h"
#include "collector/inject/call_table.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/hot_data.h"

namespace vramscope::collector {

/// Whether the driver may be asked for what can wait. While the job captures anything our own work only
/// records: of some calls it is not known that no capture minds them.
inline bool mayAskDriver() {
    return g_hot.openCaptures.load(std::memory_order_relaxed) <= 0 && mayCallDriver();
}

/// Whether `call`, which was given `stream`, defines graph nodes at present. One load while no capture is
/// open; else one query of the driver, 28 to 40 ns (docs/measurements.md).
inline bool isCapturing(const Call& call, CUstream stream) {
    if (g_hot.openCaptures.load(std::memory_order_relaxed) <= 0) return false;
    if (!mayCallDriver() || g_driver.streamIsCapturing == nullptr) return false;
    // We ask through the plain variant, for which null is the legacy stream.
    if (stream == nullptr && g_driverCalls[call.api].isPerThread) stream = CU_STREAM_PER_THREAD;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return g_driver.streamIsCapturing(stream, &status) == CUDA_SUCCESS &&
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/// The same of work, which becomes a node; then it takes the stack that the node comes from. Before a record
/// is reserved.
inline bool isCapturedWork(Call& call, CUstream stream) {
    if (!isCapturing(call, stream)) return false;
    if (call.stackId == 0) call.stackId = captureStack(call.thread);
    return true;
}

}  // namespace vramscope::collector
