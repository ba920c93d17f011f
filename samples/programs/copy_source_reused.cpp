// SPDX-License-Identifier: Apache-2.0
// A copy to the host on stream B reads a block that stream A frees and uses anew before the copy is done.
// That B waits for A before it reads is right; that A does not wait for B is the fault. Right answer:
// ordering.copy-source, once, with who got the address next.
#include "samples/programs/stream_order.h"

using namespace vramscope::samples;

namespace {

constexpr std::size_t kBytes = kMiB;
constexpr int kRounds = 4;

}  // namespace

int main() {
    Context context;
    const Stream a;
    const Stream b;
    const Event filled;
    const Pinned result(kBytes);
    for (int round = 0; round < kRounds; ++round) {
        const CUdeviceptr block = allocateOn(a, kBytes);
        CU(cuMemsetD8Async(block, 7, kBytes, a));
        CU(cuEventRecord(filled, a));
        CU(cuStreamWaitEvent(b, filled, 0));
        CU(cuMemcpyDtoHAsync(result.bytes(), block, kBytes, b));
        CU(cuMemFreeAsync(block, a));
        const CUdeviceptr next = allocateOn(a, kBytes);
        CU(cuMemsetD8Async(next, 9, kBytes, a));
        CU(cuMemFreeAsync(next, a));
        b.wait();
        a.wait();
    }
    return 0;
}
