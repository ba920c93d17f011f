// SPDX-License-Identifier: Apache-2.0
// 1 MiB blocks fill the card, every other one is freed, a large request fails. Right answer:
// fit.stranded-pages.
#include <vector>

#include "samples/programs/runtime/check.h"

int main() {
    std::size_t free = 0;
    std::size_t total = 0;
    RT(cudaMemGetInfo(&free, &total));
    std::vector<void*> tiles;
    for (std::size_t left = (free - 256 * kMiB) / kMiB; left > 0; --left) {
        void* tile = nullptr;
        if (cudaMalloc(&tile, kMiB) != cudaSuccess) break;
        tiles.push_back(tile);
    }
    for (std::size_t i = 0; i < tiles.size(); i += 2)
        RT(cudaFree(tiles[i]));
    void* large = nullptr;
    const bool isRefused = cudaMalloc(&large, tiles.size() / 3 * kMiB) == cudaErrorMemoryAllocation;
    for (std::size_t i = 1; i < tiles.size(); i += 2)
        RT(cudaFree(tiles[i]));
    return isRefused ? 0 : 1;
}
