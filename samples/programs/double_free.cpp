// SPDX-License-Identifier: Apache-2.0
// Two frees too many: a block is freed twice by two owners, and another after the reset of the primary
// context has already given it back. The driver refuses both; nobody reads its answer. Right answer:
// corruption.double-free twice, each with the stack that ended the block first and the one that came second.
#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

void firstOwnerFrees(CUdeviceptr block) {
    CU(cuMemFree(block));
}
void secondOwnerFrees(CUdeviceptr block) {
    CU_UNREAD(cuMemFree(block));
}
void freeAfterReset(CUdeviceptr block) {
    CU_UNREAD(cuMemFree(block));
}

}  // namespace

int main() {
    Context context;
    const CUdeviceptr shared = allocate(4 * kMiB);
    CU(cuMemsetD8(shared, 0, 4 * kMiB));
    firstOwnerFrees(shared);
    secondOwnerFrees(shared);

    const CUdeviceptr forgotten = allocate(8 * kMiB);
    context.reset();
    freeAfterReset(forgotten);

    const CUdeviceptr fresh = allocate(16 * kMiB);
    CU(cuMemFree(fresh));
    return 0;
}
