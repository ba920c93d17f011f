// SPDX-License-Identifier: Apache-2.0
// Pinned memory given to cudaFree, device memory to cudaFreeHost, errors unread. Right answer:
// corruption.mismatched-free twice.
#include "samples/programs/runtime/check.h"

int main() {
    void* pinned = nullptr;
    RT(cudaMallocHost(&pinned, 6 * kMiB));
    void* device = allocate(10 * kMiB);
    RT(cudaMemcpy(device, pinned, 6 * kMiB, cudaMemcpyHostToDevice));
    RT_UNREAD(cudaFree(pinned));
    RT_UNREAD(cudaFreeHost(device));
    return 0;
}
