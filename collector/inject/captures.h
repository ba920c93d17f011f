// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cuda.h>

#include "collector/inject/driver_api.h"

namespace vramscope::collector {

/// Stream captures that were begun and not ended in this process. Almost always 0, which is what makes
/// isCapturing cheap.
extern std::atomic<int> g_openCaptures;

/// Whether calls on `stream` define graph nodes at present. One load while no capture is open; else one query
/// of the driver, 28 to 40 ns (docs/measurements.md).
inline bool isCapturing(CUstream stream) {
    if (g_openCaptures.load(std::memory_order_relaxed) <= 0) return false;
    if (!mayCallDriver() || g_driver.streamIsCapturing == nullptr) return false;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return g_driver.streamIsCapturing(stream, &status) == CUDA_SUCCESS &&
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

}  // namespace vramscope::collector
