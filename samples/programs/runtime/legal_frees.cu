// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory given to cudaFree and plain memory to cudaFreeAsync, each after a synchronisation.
// Right answer: nothing.
#include "samples/programs/runtime/check.h"

int main() {
    cudaStream_t stream = nullptr;
    RT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    void* ordered = nullptr;
    RT(cudaMallocAsync(&ordered, 4 * kMiB, stream));
    RT(cudaMemsetAsync(ordered, 1, 4 * kMiB, stream));
    RT(cudaStreamSynchronize(stream));
    RT(cudaFree(ordered));

    void* plain = allocate(4 * kMiB);
    RT(cudaMemsetAsync(plain, 1, 4 * kMiB, stream));
    RT(cudaStreamSynchronize(stream));
    RT(cudaFreeAsync(plain, stream));
    RT(cudaStreamSynchronize(stream));
    RT(cudaStreamDestroy(stream));
    return 0;
}
