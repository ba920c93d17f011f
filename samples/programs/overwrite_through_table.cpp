// SPDX-License-Identifier: Apache-2.0
// Two tasks, and a table of pointers in device memory. A kernel of the first task takes the wrong row and
// fills a buffer of the second, which none of its arguments points to. Right answer: corruption.overwrite. By
// default nothing can be seen; digests around the launch prove it.
#include <vramscope/annotate.h>

#include "samples/programs/kernel_image.h"

using namespace vramscope::samples;

namespace {

constexpr int kCount = 1 << 14;
constexpr std::size_t kBytes = kCount * sizeof(float);

}  // namespace

int main() {
    const Context context;
    const Kernels kernels;
    CUdeviceptr rows[2] = {};
    CUdeviceptr table = 0;
    {
        const vramscope::TaskScope task("keeper");
        rows[1] = allocate(kBytes);
        vramscope_name(reinterpret_cast<const void*>(rows[1]), 0, "keeper.state");
        kernels.run("fill", nullptr, kCount, rows[1], 1.0F, kCount);
        CU(cuCtxSynchronize());
    }
    const vramscope::TaskScope task("worker");
    rows[0] = allocate(kBytes);
    table = allocate(sizeof(rows));
    CU(cuMemcpyHtoD(table, rows, sizeof(rows)));
    for (int round = 0; round < 5; ++round)
        kernels.run("fillThrough", nullptr, kCount, table, 0, 2.0F + static_cast<float>(round), kCount);
    kernels.run("fillThrough", nullptr, kCount, table, 1, 7.0F, kCount);
    kernels.run("fillThrough", nullptr, kCount, table, 0, 8.0F, kCount);
    CU(cuCtxSynchronize());
    float seen = 0;
    CU(cuMemcpyDtoH(&seen, rows[1], sizeof(seen)));
    for (const CUdeviceptr row : {rows[0], rows[1], table})
        CU(cuMemFree(row));
    return seen > 6.9F ? 0 : 1;
}
