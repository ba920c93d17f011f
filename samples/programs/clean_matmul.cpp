// SPDX-License-Identifier: Apache-2.0
// An ordinary job: two matrices go to the device, a kernel multiplies them, the product comes back and is
// checked. Right answer: nothing.
#include <vector>

#include "samples/programs/kernel_image.h"
#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr int kWidth = 64;
constexpr int kSteps = 5;
constexpr std::size_t kMatrixBytes = std::size_t(kWidth) * kWidth * sizeof(float);

bool isTwiceTheIdentity(const std::vector<float>& matrix) {
    for (int i = 0; i < kWidth * kWidth; ++i) {
        if (matrix[static_cast<std::size_t>(i)] != (i % (kWidth + 1) == 0 ? 2.0f : 0.0f)) return false;
    }
    return true;
}

std::vector<float> diagonal(float value) {
    std::vector<float> matrix(std::size_t(kWidth) * kWidth, 0.0f);
    for (std::size_t i = 0; i < kWidth; ++i)
        matrix[i * (kWidth + 1)] = value;
    return matrix;
}

}  // namespace

int main() {
    Context context;
    const Kernels kernels;
    const std::vector<float> a = diagonal(1.0f);
    const std::vector<float> b = diagonal(2.0f);
    std::vector<float> product(a.size());
    for (int step = 0; step < kSteps; ++step) {
        const CUdeviceptr deviceA = allocate(kMatrixBytes);
        const CUdeviceptr deviceB = allocate(kMatrixBytes);
        const CUdeviceptr deviceProduct = allocate(kMatrixBytes);
        CU(cuMemcpyHtoD(deviceA, a.data(), kMatrixBytes));
        CU(cuMemcpyHtoD(deviceB, b.data(), kMatrixBytes));
        kernels.run("multiply", nullptr, kWidth * kWidth, deviceA, deviceB, deviceProduct, kWidth);
        CU(cuMemcpyDtoH(product.data(), deviceProduct, kMatrixBytes));
        for (const CUdeviceptr address : {deviceA, deviceB, deviceProduct})
            CU(cuMemFree(address));
        if (!isTwiceTheIdentity(product)) return 1;
    }
    return 0;
}
