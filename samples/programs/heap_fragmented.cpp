// SPDX-License-Identifier: Apache-2.0
// A heap of the program's own, of 16 MiB. Small blocks of an index stay between blocks that go; then 4 MiB
// are asked for while 15.5 MiB are free, in holes of less than 2 MiB. Right answer: fit.fragmentation, the
// request of readBatch() and the index blocks of task "index" that pin the holes.
#include <vector>

#include "samples/programs/heap.h"

using namespace vramscope::samples;

namespace {

constexpr std::size_t kScratchBytes = 2 * kMiB - 64 * 1024;
constexpr std::size_t kIndexBytes = 64 * 1024;
constexpr int kPairs = 8;

CUdeviceptr keepIndex(Heap& heap) {
    const vramscope::TaskScope task("index");
    return heap.get(kIndexBytes, "index.row");
}

CUdeviceptr readBatch(Heap& heap, std::size_t sizeBytes) {
    const vramscope::TaskScope task("reader");
    return heap.get(sizeBytes, "batch");
}

}  // namespace

int main() {
    const Context context;
    Heap heap("arena", 16 * kMiB);
    std::vector<CUdeviceptr> scratch;
    std::vector<CUdeviceptr> index;
    for (int i = 0; i < kPairs; ++i) {
        scratch.push_back(readBatch(heap, kScratchBytes));
        index.push_back(keepIndex(heap));
    }
    for (const CUdeviceptr block : scratch)
        heap.giveBack(block);
    // It goes on with less, as such programs do.
    const CUdeviceptr batch = readBatch(heap, 4 * kMiB);
    const CUdeviceptr half = readBatch(heap, kMiB);
    if (batch != 0 || half == 0) return 1;
    heap.giveBack(half);
    for (const CUdeviceptr block : index)
        heap.giveBack(block);
    return 0;
}
