// SPDX-License-Identifier: Apache-2.0
// A library (simblas.h stands in for a vendor's matrix library) allocates an 8.5 MB workspace at the first
// product and keeps it. Right answer: no problem; the workspace is told as library-workspace, held by the
// library and not by this program.
#include <vector>

#include "samples/programs/libraries/simblas.h"
#include "samples/programs/sample.h"

using namespace vramscope::samples;

int main() {
    Context context;
    constexpr int kWidth = 16;
    constexpr std::size_t kBytes = kWidth * kWidth * sizeof(float);
    const std::vector<float> ones(kWidth * kWidth, 1.0f);
    std::vector<float> result(ones.size());
    for (int step = 0; step < 10; ++step) {
        const CUdeviceptr a = allocate(kBytes);
        const CUdeviceptr out = allocate(kBytes);
        CU(cuMemcpyHtoD(a, ones.data(), kBytes));
        if (simblasProduct(a, a, out, kWidth) != 0) return 1;
        CU(cuMemcpyDtoH(result.data(), out, kBytes));
        CU(cuMemFree(a));
        CU(cuMemFree(out));
    }
    return result[0] == kWidth ? 0 : 1;
}
