// SPDX-License-Identifier: Apache-2.0
// A training loop that forgets one of five blocks in each iteration. Right answer: leak.growth, 3 MiB an
// iteration.
#include "samples/programs/runtime/check.h"

__global__ void addUp(const float* input, float* output, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) output[i] += input[i];
}

int main() {
    constexpr int kCount = 1 << 18;
    for (int iteration = 0; iteration < 24; ++iteration) {
        void* freed[] = {allocate(2 * kMiB), allocate(4 * kMiB), allocate(kMiB), allocate(64 << 10)};
        auto* residual = static_cast<float*>(allocate(3 * kMiB));
        RT(cudaMemset(freed[0], 0, 2 * kMiB));
        addUp<<<kCount / 256, 256>>>(static_cast<float*>(freed[0]), residual, kCount);
        RT(cudaDeviceSynchronize());
        for (void* block : freed)
            RT(cudaFree(block));
    }
    return 0;
}
