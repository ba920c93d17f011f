// SPDX-License-Identifier: Apache-2.0
// The card is filled with blocks of 1 MiB, every other one is freed, and a request for a third of the card
// fails: the freed blocks share their 2 MiB pages with live ones, so the driver gets nothing back. Right
// answer: fit.stranded-pages: how much was freed, that next to nothing went back, and which stack's blocks
// pin the pages.
#include <vector>

#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

CUdeviceptr allocateTile() {
    CUdeviceptr address = 0;
    return cuMemAlloc(&address, kMiB) == CUDA_SUCCESS ? address : 0;
}

/// Leaves `keptFree` bytes to the driver: what a card needs to go on working is not ours to take.
std::vector<CUdeviceptr> fillCard(std::size_t keptFree) {
    std::vector<CUdeviceptr> tiles;
    const std::size_t count = (freeBytes() - keptFree) / kMiB;
    for (std::size_t i = 0; i < count; ++i) {
        const CUdeviceptr tile = allocateTile();
        if (tile == 0) break;
        tiles.push_back(tile);
    }
    return tiles;
}

}  // namespace

int main() {
    Context context;
    std::vector<CUdeviceptr> tiles = fillCard(256 * kMiB);
    const std::size_t requested = tiles.size() / 3 * kMiB;
    for (std::size_t i = 0; i < tiles.size(); i += 2)
        CU(cuMemFree(tiles[i]));

    CUdeviceptr large = 0;
    if (cuMemAlloc(&large, requested) != CUDA_ERROR_OUT_OF_MEMORY) return 1;
    for (std::size_t i = 1; i < tiles.size(); i += 2)
        CU(cuMemFree(tiles[i]));
    tellFact("buffers.device", tiles.size());
    tellFact("failed_request_bytes", requested);
    return 0;
}
