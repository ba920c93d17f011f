// SPDX-License-Identifier: Apache-2.0
// Tied weights: two layers use one storage under names of their own, and both update it, as the program says.
// Right answer: nothing.
#include <vramscope/annotate.h>

#include "samples/programs/kernel_image.h"

using namespace vramscope::samples;

namespace {

constexpr int kCount = 1 << 18;
constexpr std::size_t kBytes = kCount * sizeof(float);

void update(const Kernels& kernels, const char* task, CUdeviceptr weights) {
    const vramscope::TaskScope scope(task);
    kernels.run("scale", nullptr, kCount, weights, 0.9F, kCount);
    CU(cuMemsetD32(weights, 0, 1));
}

}  // namespace

int main() {
    const Context context;
    const Kernels kernels;
    CUdeviceptr weights = 0;
    {
        const vramscope::TaskScope encoder("encoder");
        weights = allocate(kBytes);
        const auto* pointer = reinterpret_cast<const void*>(weights);
        vramscope_name(pointer, 0, "encoder.embedding");
        kernels.run("fill", nullptr, kCount, weights, 1.0F, kCount);
        vramscope_lend(pointer, 0, "decoder", VRAMSCOPE_READ | VRAMSCOPE_WRITE);
    }
    {
        const vramscope::TaskScope decoder("decoder");
        vramscope_name(reinterpret_cast<const void*>(weights), 0, "decoder.output");
    }
    for (int step = 0; step < 4; ++step) {
        vramscope_step(nullptr);
        update(kernels, "encoder", weights);
        update(kernels, "decoder", weights);
    }
    CU(cuMemFree(weights));
    return 0;
}
