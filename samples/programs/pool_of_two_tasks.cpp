// SPDX-License-Identifier: Apache-2.0
// Two tasks get their blocks from one segment of an allocator above CUDA, and a block of the one becomes a
// block of the other. Whose the pieces are is not known. Right answer: nothing, and how many bytes were
// passed over.
#include <vramscope/annotate.h>

#include "samples/programs/kernel_image.h"
#include "samples/programs/libraries/simpool.h"

using namespace vramscope::samples;

namespace {

constexpr int kCount = 1 << 18;
constexpr std::size_t kBytes = kCount * sizeof(float);

void work(const Kernels& kernels, const char* name) {
    const vramscope::TaskScope task(name);
    const CUdeviceptr block = simpoolAllocate(kBytes);
    kernels.run("fill", nullptr, kCount, block, 1.0F, kCount);
    CU(cuMemsetD8(block, 0, kBytes));
}

}  // namespace

int main() {
    const Context context;
    const Kernels kernels;
    for (int step = 0; step < 4; ++step) {
        work(kernels, "generator");
        work(kernels, "discriminator");
        simpoolReset();
        work(kernels, "discriminator");
        simpoolReset();
    }
    simpoolRelease();
    return 0;
}
