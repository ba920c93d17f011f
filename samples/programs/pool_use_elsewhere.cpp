// SPDX-License-Identifier: Apache-2.0
// Memory is allocated in the order of stream A and used in the order of stream B, with no event between: by a
// set, by a kernel, and by its own free. Right answer: ordering.pool-order for each, the kernel's only
// possible, since it was given a pointer and nobody knows what it did with it.
#include "samples/programs/kernel_image.h"
#include "samples/programs/stream_order.h"

using namespace vramscope::samples;

namespace {

constexpr int kElements = 1 << 12;
constexpr std::size_t kBytes = kElements * sizeof(float);

void setElsewhere(CUstream a, CUstream b) {
    const CUdeviceptr block = allocateOn(a, kBytes);
    CU(cuMemsetD8Async(block, 1, kBytes, b));
    CU(cuStreamSynchronize(a));
    CU(cuStreamSynchronize(b));
    CU(cuMemFreeAsync(block, a));
}

void launchElsewhere(const Kernels& kernels, CUstream a, CUstream b) {
    const CUdeviceptr block = allocateOn(a, kBytes);
    kernels.run("fill", b, kElements, block, 1.0f, kElements);
    CU(cuStreamSynchronize(a));
    CU(cuStreamSynchronize(b));
    CU(cuMemFreeAsync(block, a));
}

void freeElsewhere(CUstream a, CUstream b) {
    const CUdeviceptr block = allocateOn(a, kBytes);
    CU(cuMemFreeAsync(block, b));
    CU(cuStreamSynchronize(a));
    CU(cuStreamSynchronize(b));
}

}  // namespace

int main() {
    Context context;
    const Kernels kernels;
    const Stream a;
    const Stream b;
    for (int i = 0; i < 3; ++i)
        setElsewhere(a, b);
    launchElsewhere(kernels, a, b);
    freeElsewhere(a, b);
    return 0;
}
