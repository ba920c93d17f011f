// SPDX-License-Identifier: Apache-2.0
// The card is filled with equal blocks, every other one is freed, and one request for 98 % of the free bytes
// succeeds: between plain allocations there are no holes, since the driver takes pages from anywhere. Right
// answer: nothing. Drawing the gaps as fragmentation would be wrong.
#include <vector>

#include "samples/programs/sample.h"

using namespace vramscope::samples;

int main() {
    Context context;
    // 1 GiB blocks on a card of 141 GiB; the same number of smaller ones on a smaller card.
    const std::size_t blockBytes = freeBytes() / 136 / (2 * kMiB) * (2 * kMiB);
    std::vector<CUdeviceptr> blocks;
    for (CUdeviceptr block = 0; cuMemAlloc(&block, blockBytes) == CUDA_SUCCESS;) {
        blocks.push_back(block);
        if (freeBytes() < 2 * blockBytes) break;
    }
    for (std::size_t i = 0; i < blocks.size(); i += 2)
        CU(cuMemFree(blocks[i]));

    const CUdeviceptr large = allocate(freeBytes() / 100 * 98 / (2 * kMiB) * (2 * kMiB));
    CU(cuMemFree(large));
    for (std::size_t i = 1; i < blocks.size(); i += 2)
        CU(cuMemFree(blocks[i]));
    tellFact("buffers.device", blocks.size() + 1);
    return 0;
}
