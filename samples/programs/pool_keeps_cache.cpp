// SPDX-License-Identifier: Apache-2.0
// The default pool's release threshold is the maximum, so it keeps what the loop frees, cycle after cycle, as
// frameworks set it for speed. Right answer: no problem; fit.pool-cache tells how much a trim would return.
#include "samples/programs/sample.h"

using namespace vramscope::samples;

int main() {
    Context context;
    CUmemoryPool pool = nullptr;
    CU(cuDeviceGetDefaultMemPool(&pool, context.device()));
    cuuint64_t threshold = ~cuuint64_t(0);
    CU(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int cycle = 0; cycle < 12; ++cycle) {
        CUdeviceptr block = 0;
        CU(cuMemAllocAsync(&block, 64 * kMiB, stream));
        CU(cuMemsetD8Async(block, 1, 64 * kMiB, stream));
        CU(cuMemFreeAsync(block, stream));
        CU(cuStreamSynchronize(stream));
    }
    CU(cuStreamDestroy(stream));
    return 0;
}
