// SPDX-License-Identifier: Apache-2.0

// The library's doors. The driver calls the first from cuInit when CUDA_INJECTION64_PATH names us; NVTX calls
// the second at its first use when NVTX_INJECTION64_PATH does (nvtx_entry.cpp).

#include "collector/inject/collector.h"

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    vramscope::collector::startCollector();
    // 1 tells the driver to go on; a collector that could not start is no reason to stop the job.
    return 1;
}
