// SPDX-License-Identifier: Apache-2.0
// Frees that look wrong and are legal: stream-ordered memory given to cuMemFree, plain memory to
// cuMemFreeAsync, each after a synchronisation, and a free while another context is current. Right answer:
// nothing.
#include "samples/programs/sample.h"

using namespace vramscope::samples;

int main() {
    Context context;
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));

    CUdeviceptr ordered = 0;
    CU(cuMemAllocAsync(&ordered, 4 * kMiB, stream));
    CU(cuMemsetD8Async(ordered, 1, 4 * kMiB, stream));
    CU(cuStreamSynchronize(stream));
    CU(cuMemFree(ordered));

    const CUdeviceptr plain = allocate(4 * kMiB);
    CU(cuMemsetD8Async(plain, 1, 4 * kMiB, stream));
    CU(cuStreamSynchronize(stream));
    CU(cuMemFreeAsync(plain, stream));
    CU(cuStreamSynchronize(stream));
    CU(cuStreamDestroy(stream));

    const CUdeviceptr elsewhere = allocate(6 * kMiB);
    CUcontext other = nullptr;
#if CUDA_VERSION >= 13000
    CU(cuCtxCreate(&other, nullptr, 0, context.device()));
#else
    CU(cuCtxCreate(&other, 0, context.device()));
#endif
    CU(cuMemFree(elsewhere));
    CU(cuCtxDestroy(other));
    return 0;
}
