// SPDX-License-Identifier: Apache-2.0
// The card is filled with equal blocks, every other one is freed, and one request for 98 % of the free bytes
// succeeds: between plain allocations there are no holes, since the driver takes pages from anywhere. Right
// answer: nothing. Drawing the gaps as fragmentation would be wrong.
#include <vector>

#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

// 1 GiB blocks on a card of 141 GiB, smaller ones on a smaller card; the rest is too little for the request
// below.
constexpr std::size_t kBlocks = 128;
constexpr std::size_t kBlocksThatFit = 136;
constexpr std::size_t kPageBytes = 2 * kMiB;

std::size_t wholePages(std::size_t sizeBytes) {
    return sizeBytes / kPageBytes * kPageBytes;
}

}  // namespace

int main() {
    Context context;
    const std::size_t blockBytes = wholePages(freeBytes() / kBlocksThatFit);
    std::vector<CUdeviceptr> blocks;
    for (std::size_t i = 0; i < kBlocks; ++i)
        blocks.push_back(allocate(blockBytes));
    for (std::size_t i = 0; i < kBlocks; i += 2)
        CU(cuMemFree(blocks[i]));

    const CUdeviceptr large = allocate(wholePages(freeBytes() / 100 * 98));
    CU(cuMemFree(large));
    for (std::size_t i = 1; i < kBlocks; i += 2)
        CU(cuMemFree(blocks[i]));
    return 0;
}
