// SPDX-License-Identifier: Apache-2.0
// cuBLAS allocates a workspace at the first product and keeps it with its handle. Right answer:
// library-workspace.
#include <cublas_v2.h>

#include "samples/programs/runtime/check.h"

int main() {
    constexpr int kWidth = 512;
    constexpr std::size_t kBytes = std::size_t(kWidth) * kWidth * sizeof(float);
    cublasHandle_t handle = nullptr;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    const float one = 1.0f;
    const float zero = 0.0f;
    for (int step = 0; step < 10; ++step) {
        auto* a = static_cast<float*>(allocate(kBytes));
        auto* out = static_cast<float*>(allocate(kBytes));
        RT(cudaMemset(a, 0, kBytes));
        if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kWidth, kWidth, kWidth, &one, a, kWidth, a, kWidth,
                        &zero, out, kWidth) != CUBLAS_STATUS_SUCCESS) {
            return 1;
        }
        RT(cudaDeviceSynchronize());
        RT(cudaFree(a));
        RT(cudaFree(out));
    }
    // The handle lives as long as the program, as it does in most.
    return 0;
}
