// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory is given to cuMemFree, as cudaFree does, while its stream still has work on it. For
// plain memory that call waits; for this kind it does not. Right answer: ordering.pending-free, naming the
// work: proven for a set, possible for a kernel.
#include "samples/programs/kernel_image.h"
#include "samples/programs/stream_order.h"

using namespace vramscope::samples;

namespace {

constexpr int kElements = 1 << 12;
constexpr std::size_t kBytes = kElements * sizeof(float);

void freeBehindSet(const Stream& stream) {
    const CUdeviceptr block = allocateOn(stream, kBytes);
    CU(cuMemsetD8Async(block, 1, kBytes, stream));
    CU(cuMemFree(block));
    stream.wait();
}

void freeBehindKernel(const Kernels& kernels, const Stream& stream) {
    const CUdeviceptr block = allocateOn(stream, kBytes);
    kernels.run("fill", stream, kElements, block, 1.0f, kElements);
    CU(cuMemFree(block));
    stream.wait();
}

}  // namespace

int main() {
    Context context;
    const Kernels kernels;
    const Stream stream;
    freeBehindSet(stream);
    freeBehindKernel(kernels, stream);
    return 0;
}
