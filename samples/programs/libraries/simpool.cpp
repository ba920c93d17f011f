// SPDX-License-Identifier: Apache-2.0
#include "samples/programs/libraries/simpool.h"

#include "samples/programs/sample.h"

namespace {

constexpr std::size_t kSegmentBytes = 16 * vramscope::samples::kMiB;
CUdeviceptr g_segment = 0;
std::size_t g_used = 0;

}  // namespace

CUdeviceptr simpoolAllocate(std::size_t bytes) {
    if (g_segment == 0) CU(cuMemAlloc(&g_segment, kSegmentBytes));
    const CUdeviceptr piece = g_segment + g_used;
    g_used += bytes;
    return piece;
}

void simpoolReset() {
    g_used = 0;
}

void simpoolRelease() {
    CU(cuMemFree(g_segment));
    g_segment = 0;
}
