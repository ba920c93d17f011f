// SPDX-License-Identifier: Apache-2.0
// Two heaps of the program's own. One has holes, and every request fits into one of them. The other is full
// when it refuses. Right answer: nothing; neither is fragmentation.
#include <vector>

#include "samples/programs/heap.h"

using namespace vramscope::samples;

namespace {

constexpr std::size_t kBlockBytes = kMiB;
constexpr int kBlocks = 16;

void useHoles() {
    Heap heap("with holes", kBlocks * kBlockBytes);
    std::vector<CUdeviceptr> blocks;
    for (int i = 0; i < kBlocks; ++i)
        blocks.push_back(heap.get(kBlockBytes, "row"));
    for (int i = 0; i < kBlocks; i += 2)
        heap.giveBack(blocks[static_cast<std::size_t>(i)]);
    for (int i = 0; i < kBlocks; i += 2) {
        if (heap.get(kBlockBytes, "row again") == 0) std::exit(1);
    }
}

void fill() {
    Heap heap("full", kBlocks * kBlockBytes);
    while (heap.get(kBlockBytes, "page") != 0) {
    }
}

}  // namespace

int main() {
    const Context context;
    useHoles();
    fill();
    return 0;
}
