// SPDX-License-Identifier: Apache-2.0
// Pinned memory is given to cuMemFree and device memory to cuMemFreeHost; nobody reads the errors, so both
// blocks stay. Right answer: corruption.mismatched-free for each, with the block that stays.
#include "samples/programs/sample.h"

using namespace vramscope::samples;

int main() {
    Context context;
    void* pinned = nullptr;
    CU(cuMemAllocHost(&pinned, 6 * kMiB));
    const CUdeviceptr device = allocate(10 * kMiB);
    CU(cuMemcpyHtoD(device, pinned, 6 * kMiB));

    CU_UNREAD(cuMemFree(reinterpret_cast<CUdeviceptr>(pinned)));
    CU_UNREAD(cuMemFreeHost(reinterpret_cast<void*>(device)));

    const CUdeviceptr freedRightly = allocate(kMiB);
    CU(cuMemFree(freedRightly));
    return 0;
}
