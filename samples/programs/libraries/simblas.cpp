// SPDX-License-Identifier: Apache-2.0
// A matrix library as vendors ship them, as far as memory goes: a workspace at the first product, kept for
// the next.
#include "samples/programs/libraries/simblas.h"

#include <vector>

namespace {

constexpr std::size_t kWorkspaceBytes = 8'500'000;

CUdeviceptr g_workspace = 0;

bool prepareWorkspace() {
    return g_workspace != 0 || cuMemAlloc(&g_workspace, kWorkspaceBytes) == CUDA_SUCCESS;
}

std::vector<float> fetch(CUdeviceptr address, std::size_t count) {
    std::vector<float> values(count);
    if (cuMemcpyDtoH(values.data(), address, count * sizeof(float)) != CUDA_SUCCESS) values.clear();
    return values;
}

}  // namespace

int simblasProduct(CUdeviceptr a, CUdeviceptr b, CUdeviceptr out, int width) {
    const auto size = static_cast<std::size_t>(width);
    if (!prepareWorkspace()) return 1;
    // b goes through the workspace, as packed panels do.
    if (cuMemcpyDtoD(g_workspace, b, size * size * sizeof(float)) != CUDA_SUCCESS) return 1;
    const std::vector<float> left = fetch(a, size * size);
    const std::vector<float> right = fetch(g_workspace, size * size);
    if (left.empty() || right.empty()) return 1;
    std::vector<float> product(size * size, 0.0f);
    for (std::size_t row = 0; row < size; ++row) {
        for (std::size_t k = 0; k < size; ++k) {
            for (std::size_t column = 0; column < size; ++column) {
                product[row * size + column] += left[row * size + k] * right[k * size + column];
            }
        }
    }
    return cuMemcpyHtoD(out, product.data(), product.size() * sizeof(float)) == CUDA_SUCCESS ? 0 : 1;
}
