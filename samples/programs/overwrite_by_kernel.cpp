// SPDX-License-Identifier: Apache-2.0
// Two tasks hold two buffers. A kernel of the first is given an address inside the second's, and writes
// there. Right answer: corruption.overwrite with owner, writer and kernel. By default only the pointer is
// seen, so it is possible and no more; a mode that sees every access would prove it.
#include <vramscope/annotate.h>

#include "samples/programs/kernel_image.h"

using namespace vramscope::samples;

namespace {

constexpr int kCount = 1 << 18;
constexpr std::size_t kBytes = kCount * sizeof(float);
constexpr int kStray = 1024;

CUdeviceptr makeBuffer(const Kernels& kernels, const char* name, float value) {
    const CUdeviceptr buffer = allocate(kBytes);
    vramscope_name(reinterpret_cast<const void*>(buffer), kBytes, name);
    kernels.run("fill", nullptr, kCount, buffer, value, kCount);
    return buffer;
}

}  // namespace

int main() {
    // Told before CUDA is there: it counts all the same.
    vramscope_task_push("solver");
    const Context context;
    const Kernels kernels;
    const CUdeviceptr field = makeBuffer(kernels, "solver.field", 1.0F);
    vramscope_task_push("renderer");
    const CUdeviceptr image = makeBuffer(kernels, "renderer.image", 0.0F);
    vramscope_task_pop();
    kernels.run("scale", nullptr, kCount, field, 2.0F, kCount);
    kernels.run("fill", nullptr, kStray, image + kBytes / 2, 7.0F, kStray);
    CU(cuCtxSynchronize());
    float seen = 0;
    {
        const vramscope::TaskScope task("renderer");
        CU(cuMemcpyDtoH(&seen, image + kBytes / 2, sizeof(seen)));
        CU(cuMemFree(image));
    }
    CU(cuMemFree(field));
    vramscope_task_pop();
    return seen > 6.9F ? 0 : 1;
}
