// SPDX-License-Identifier: Apache-2.0
// Memory is used after it was freed: a set of a plain block, and a copy of a stream-ordered one, whose errors
// nobody reads. Right answer: corruption.use-after-free for both, with the stack of the free.
#include <array>

#include "samples/programs/stream_order.h"

using namespace vramscope::samples;

namespace {

constexpr std::size_t kBytes = 64 << 10;

void setFreedBlock() {
    const CUdeviceptr block = allocate(kBytes);
    CU(cuMemFree(block));
    CU_UNREAD(cuMemsetD8(block, 1, kBytes));
}

void copyFromFreedBlock(const Stream& stream) {
    static std::array<unsigned char, kBytes> result;
    const CUdeviceptr block = allocateOn(stream, kBytes);
    CU(cuMemsetD8Async(block, 1, kBytes, stream));
    CU(cuMemFreeAsync(block, stream));
    CU_UNREAD(cuMemcpyDtoHAsync(result.data(), block, kBytes, stream));
    stream.wait();
}

}  // namespace

int main() {
    Context context;
    const Stream stream;
    setFreedBlock();
    copyFromFreedBlock(stream);
    return 0;
}
