// SPDX-License-Identifier: Apache-2.0
// Killed with SIGKILL in the middle of its work, with device and pinned memory live.
// Right answer: the capture opens, says that the process was killed, and lists what was live; no leak, since
// a killed process had no chance to free anything.
#include <csignal>

#include "samples/programs/sample.h"

using namespace vramscope::samples;

int main() {
    Context context;
    for (int i = 0; i < 4; ++i) {
        const CUdeviceptr work = allocate(5 * kMiB);
        CU(cuMemsetD8(work, 0, 5 * kMiB));
        CU(cuMemFree(work));
    }
    for (int i = 0; i < 3; ++i)
        allocate(20 * kMiB);
    void* staging = nullptr;
    CU(cuMemAllocHost(&staging, 8 * kMiB));
    std::raise(SIGKILL);
    return 0;
}
