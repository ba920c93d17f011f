// SPDX-License-Identifier: Apache-2.0
// A kernel writes 89 bytes past a small block: its loop runs over the rows that it has and one more. What
// lies there is valid memory, so nothing fails. Only guard bytes show it: `vramscope run --guard`.
#include "samples/programs/kernel_image.h"
#include "samples/programs/sample.h"

using namespace vramscope::samples;

int main() {
    const Context context;
    const Kernels kernels;

    constexpr int kRowBytes = 89;
    constexpr int kRows = 11;
    CUdeviceptr table = allocate(static_cast<std::size_t>(kRowBytes) * static_cast<std::size_t>(kRows));
    CUdeviceptr neighbour = allocate(kMiB);
    CU(cuMemsetD8(table, 0, static_cast<std::size_t>(kRowBytes) * static_cast<std::size_t>(kRows)));
    CU(cuMemsetD8(neighbour, 1, kMiB));

    for (int i = 0; i < 3; ++i) {
        kernels.run("shiftRows", nullptr, kRowBytes, table, kRows, kRowBytes);
        CU(cuCtxSynchronize());
    }
    CU(cuMemFree(neighbour));
    CU(cuMemFree(table));
    return 0;
}
