// SPDX-License-Identifier: Apache-2.0
// A caching allocator as frameworks have it: one large block, cut up by the program. A batch is uploaded from
// pinned memory on a copy stream and used on the compute stream with no event between. Right answer:
// ordering.cross-stream, possible where a kernel uses the batch and proven where a copy does; nothing about
// the next piece of the same block, which is uploaded at the same time and used after an event.
#include "samples/programs/kernel_image.h"
#include "samples/programs/stream_order.h"

using namespace vramscope::samples;

namespace {

constexpr int kElements = 1 << 12;
constexpr std::size_t kBytes = kElements * sizeof(float);
constexpr int kBatches = 5;

}  // namespace

int main() {
    Context context;
    const Kernels kernels;
    const Stream copies;
    const Stream compute;
    const Event uploaded;
    const Pinned batch(kBytes);
    const Pinned result(kBytes);
    const CUdeviceptr segment = allocate(20 * kMiB);
    const CUdeviceptr byKernel = segment + 2 * kMiB;
    const CUdeviceptr inOrder = byKernel + kBytes;
    for (int i = 0; i < kBatches; ++i) {
        CU(cuMemcpyHtoDAsync(byKernel, batch.bytes(), kBytes, copies));
        kernels.run("scale", compute, kElements, byKernel, 2.0f, kElements);
        compute.wait();
        copies.wait();
    }
    const CUdeviceptr other = allocate(20 * kMiB);
    CU(cuMemcpyHtoDAsync(other, batch.bytes(), kBytes, copies));
    CU(cuMemcpyDtoHAsync(result.bytes(), other, kBytes, compute));
    compute.wait();
    copies.wait();
    CU(cuMemcpyHtoDAsync(inOrder, batch.bytes(), kBytes, copies));
    CU(cuEventRecord(uploaded, copies));
    CU(cuStreamWaitEvent(compute, uploaded, 0));
    kernels.run("scale", compute, kElements, inOrder, 2.0f, kElements);
    compute.wait();
    CU(cuMemFree(other));
    CU(cuMemFree(segment));
    return 0;
}
