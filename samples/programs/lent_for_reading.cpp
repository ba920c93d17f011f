// SPDX-License-Identifier: Apache-2.0
// Two tasks read one block of weights that a third owns and lends to all for reading. Right answer: nothing.
#include <thread>
#include <vramscope/annotate.h>

#include "samples/programs/kernel_image.h"

using namespace vramscope::samples;

namespace {

constexpr int kWidth = 64;
constexpr std::size_t kBytes = kWidth * kWidth * sizeof(float);

void work(const Context& context, const Kernels& kernels, const char* name, CUdeviceptr weights) {
    const vramscope::TaskScope task(name);
    context.use();
    const CUdeviceptr out = allocate(kBytes);
    for (int round = 0; round < 10; ++round)
        kernels.run("multiply", nullptr, kWidth * kWidth, weights, weights, out, kWidth);
    float seen = 0;
    CU(cuMemcpyDtoH(&seen, weights, sizeof(seen)));
    CU(cuMemFree(out));
}

}  // namespace

int main() {
    const Context context;
    const Kernels kernels;
    CUdeviceptr weights = 0;
    {
        const vramscope::TaskScope task("model");
        weights = allocate(kBytes);
        kernels.run("fill", nullptr, kWidth * kWidth, weights, 0.5F, kWidth * kWidth);
        CU(cuCtxSynchronize());
        vramscope_lend(reinterpret_cast<const void*>(weights), 0, nullptr, VRAMSCOPE_READ);
    }
    std::thread first([&] { work(context, kernels, "left", weights); });
    std::thread second([&] { work(context, kernels, "right", weights); });
    first.join();
    second.join();
    CU(cuMemFree(weights));
    return 0;
}
