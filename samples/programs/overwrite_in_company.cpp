// SPDX-License-Identifier: Apache-2.0
// As overwrite_through_table, but while the kernel that takes the wrong row runs, one of the buffer's owner
// runs on another stream, which nothing orders with it. Right answer: corruption.overwrite, and no more than
// possible: digests prove that the buffer changed, not which of the two changed it.
#include <vramscope/annotate.h>

#include "samples/programs/kernel_image.h"

using namespace vramscope::samples;

namespace {

constexpr int kCount = 1 << 14;
constexpr std::size_t kBytes = kCount * sizeof(float);

CUstream makeStream() {
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

}  // namespace

int main() {
    const Context context;
    const Kernels kernels;
    const CUstream first = makeStream();
    const CUstream second = makeStream();
    CUdeviceptr rows[2] = {};
    CUdeviceptr other = 0;
    {
        const vramscope::TaskScope task("keeper");
        rows[1] = allocate(kBytes);
        other = allocate(kBytes);
        kernels.run("fill", first, kCount, rows[1], 1.0F, kCount);
        CU(cuCtxSynchronize());
    }
    const vramscope::TaskScope task("worker");
    rows[0] = allocate(kBytes);
    const CUdeviceptr table = allocate(sizeof(rows));
    CU(cuMemcpyHtoD(table, rows, sizeof(rows)));
    {
        const vramscope::TaskScope keeper("keeper");
        kernels.run("fill", second, kCount, other, 2.0F, kCount);
    }
    kernels.run("fillThrough", first, kCount, table, 1, 7.0F, kCount);
    CU(cuCtxSynchronize());
    for (const CUdeviceptr block : {rows[0], rows[1], other, table})
        CU(cuMemFree(block));
    CU(cuStreamDestroy(first));
    CU(cuStreamDestroy(second));
    return 0;
}
