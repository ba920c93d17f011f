// SPDX-License-Identifier: Apache-2.0
// A block freed twice, and one freed after cudaDeviceReset(). Right answer: corruption.double-free twice.
#include "samples/programs/runtime/check.h"

int main() {
    void* shared = allocate(4 * kMiB);
    RT(cudaFree(shared));
    RT_UNREAD(cudaFree(shared));

    void* forgotten = allocate(8 * kMiB);
    RT(cudaDeviceReset());
    RT_UNREAD(cudaFree(forgotten));
    RT_UNREAD(cudaGetLastError());

    void* fresh = allocate(16 * kMiB);
    RT(cudaFree(fresh));
    return 0;
}
