// SPDX-License-Identifier: Apache-2.0
// Memory grows for three warm-up steps and stays flat for twenty. Right answer: nothing.
#include <vector>

#include "samples/programs/runtime/check.h"

int main() {
    std::vector<void*> cache;
    for (int step = 0; step < 23; ++step) {
        if (step < 3) cache.push_back(allocate(16 * kMiB));
        void* scratch = allocate(2 * kMiB);
        RT(cudaMemset(cache[static_cast<std::size_t>(step % 3)], 1, kMiB));
        RT(cudaDeviceSynchronize());
        RT(cudaFree(scratch));
    }
    for (void* block : cache)
        RT(cudaFree(block));
    return 0;
}
