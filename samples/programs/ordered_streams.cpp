// SPDX-License-Identifier: Apache-2.0
// Each way to order two streams, used rightly: an event that a stream or the host waits for or asks about, a
// value that a stream writes and another waits for, a synchronisation by another thread, the rules of the
// default stream and of the threads' own default streams, stream-ordered memory handed on with an event.
// Right answer: nothing.
#include <atomic>
#include <thread>

#include "samples/programs/stream_order.h"

using namespace vramscope::samples;

namespace {

constexpr std::size_t kBytes = 64 << 10;
constexpr CUstream kDefault = nullptr;

/// A block that one stream fills and another reads.
struct Handover {
    CUdeviceptr block = allocate(kBytes);
    Pinned result{kBytes};

    Handover() = default;
    ~Handover() { CU(cuMemFree(block)); }
    Handover(const Handover&) = delete;
    Handover& operator=(const Handover&) = delete;

    void fill(CUstream stream, unsigned char value) const {
        CU(cuMemsetD8Async(block, value, kBytes, stream));
    }
    void read(CUstream stream) const { CU(cuMemcpyDtoHAsync(result.bytes(), block, kBytes, stream)); }
    void check(unsigned char value) const {
        CU(cuCtxSynchronize());
        if (result.first() != value) std::_Exit(1);
    }
};

void byStreamWait(const Handover& h, CUstream a, CUstream b) {
    const Event filled;
    const Event read;
    for (unsigned char value = 1; value < 4; ++value) {
        h.fill(a, value);
        CU(cuEventRecord(filled, a));
        CU(cuStreamWaitEvent(b, filled, 0));
        h.read(b);
        CU(cuEventRecord(read, b));
        CU(cuStreamWaitEvent(a, read, 0));
    }
    h.check(3);
}

void byThirdStream(const Handover& h, CUstream a, CUstream b) {
    const Stream between;
    const Event first;
    const Event second;
    h.fill(a, 4);
    CU(cuEventRecord(first, a));
    CU(cuStreamWaitEvent(between, first, 0));
    CU(cuEventRecord(second, between));
    CU(cuStreamWaitEvent(b, second, 0));
    h.read(b);
    h.check(4);
}

void byQuery(const Handover& h, CUstream a, CUstream b) {
    const Event filled;
    h.fill(a, 5);
    CU(cuEventRecord(filled, a));
    while (cuEventQuery(filled) != CUDA_SUCCESS) {
    }
    h.read(b);
    h.check(5);
    h.fill(a, 6);
    while (cuStreamQuery(a) != CUDA_SUCCESS) {
    }
    h.read(b);
    h.check(6);
}

void byValue(const Handover& h, CUstream a, CUstream b) {
    const CUdeviceptr flag = allocate(4);
    CU(cuMemsetD32(flag, 0, 1));
    CU(cuCtxSynchronize());
    h.fill(a, 7);
    CU(cuStreamWriteValue32(a, flag, 1, 0));
    CU(cuStreamWaitValue32(b, flag, 1, CU_STREAM_WAIT_VALUE_GEQ));
    h.read(b);
    h.check(7);
    // The wait may also be there first.
    CU(cuStreamWaitValue32(b, flag, 2, CU_STREAM_WAIT_VALUE_EQ));
    h.read(b);
    h.fill(a, 8);
    CU(cuStreamWriteValue32(a, flag, 2, 0));
    h.check(8);
    CU(cuMemFree(flag));
}

void byAnotherThread(const Context& context, const Handover& h, CUstream a, CUstream b) {
    h.fill(a, 9);
    std::thread waiter([&] {
        context.use();
        CU(cuStreamSynchronize(a));
    });
    waiter.join();
    h.read(b);
    h.check(9);
    // One thread works for the other, and says when it is done.
    std::atomic<bool> isFilled = false;
    const Event filled;
    std::thread worker([&] {
        context.use();
        h.fill(a, 10);
        CU(cuEventRecord(filled, a));
        isFilled = true;
    });
    while (!isFilled) {
    }
    CU(cuStreamWaitEvent(b, filled, 0));
    h.read(b);
    worker.join();
    h.check(10);
}

void byDefaultStream(const Handover& h) {
    const Stream a(CU_STREAM_DEFAULT);
    const Stream b(CU_STREAM_DEFAULT);
    h.fill(a, 11);
    CU(cuMemsetD8Async(h.block, 12, kBytes, kDefault));
    h.read(b);
    h.check(12);
    // The default stream's work stands between that of two others.
    const CUdeviceptr other = allocate(kBytes);
    h.fill(a, 13);
    CU(cuMemsetD8Async(other, 0, kBytes, kDefault));
    h.read(b);
    h.check(13);
    CU(cuMemFree(other));
}

void byThreadsOwnStream(const Context& context, const Handover& h) {
    h.fill(CU_STREAM_PER_THREAD, 14);
    CU(cuMemcpyDtoH(h.result.bytes(), h.block, kBytes));
    h.check(14);
    std::thread other([&] {
        context.use();
        h.fill(CU_STREAM_PER_THREAD, 15);
        CU(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    });
    other.join();
    h.read(CU_STREAM_PER_THREAD);
    h.check(15);
}

void ofOrderedMemory(CUstream a, CUstream b) {
    const Event made;
    const Event used;
    const Pinned result(kBytes);
    for (int i = 0; i < 4; ++i) {
        const CUdeviceptr block = allocateOn(a, kBytes);
        CU(cuEventRecord(made, a));
        CU(cuStreamWaitEvent(b, made, 0));
        CU(cuMemsetD8Async(block, 1, kBytes, b));
        CU(cuMemcpyDtoHAsync(result.bytes(), block, kBytes, b));
        CU(cuEventRecord(used, b));
        CU(cuStreamWaitEvent(a, used, 0));
        CU(cuMemFreeAsync(block, i % 2 == 0 ? a : b));
    }
    CU(cuStreamSynchronize(a));
    CU(cuStreamSynchronize(b));
}

}  // namespace

int main() {
    Context context;
    const Stream a;
    const Stream b;
    const Handover h;
    byStreamWait(h, a, b);
    byThirdStream(h, a, b);
    byQuery(h, a, b);
    byValue(h, a, b);
    byAnotherThread(context, h, a, b);
    byDefaultStream(h);
    byThreadsOwnStream(context, h);
    ofOrderedMemory(a, b);
    return 0;
}
