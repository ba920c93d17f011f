// SPDX-License-Identifier: Apache-2.0
// The default pool keeps what is freed, since its release threshold is the maximum. Right answer: pool-cache,
// 64 MiB.
#include "samples/programs/runtime/check.h"

int main() {
    cudaMemPool_t pool = nullptr;
    RT(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = ~0ULL;
    RT(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    cudaStream_t stream = nullptr;
    RT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int cycle = 0; cycle < 12; ++cycle) {
        void* block = nullptr;
        RT(cudaMallocAsync(&block, 64 * kMiB, stream));
        RT(cudaMemsetAsync(block, 1, 64 * kMiB, stream));
        RT(cudaFreeAsync(block, stream));
        RT(cudaStreamSynchronize(stream));
    }
    RT(cudaStreamDestroy(stream));
    return 0;
}
