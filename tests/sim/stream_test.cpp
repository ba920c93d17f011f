// SPDX-License-Identifier: Apache-2.0
// The order of work: within a stream, between streams, with events, values and host functions.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/sim/kernel_fixture.h"

namespace {

class StreamTest : public KernelTest {
protected:
    void SetUp() override {
        KernelTest::SetUp();
        m_log = allocate(4096);
        m_length = allocate(4);
        cuMemsetD8(m_log, 0, 4096);
        cuMemsetD8(m_length, 0, 4);
        ASSERT_EQ(cuStreamCreate(&m_a, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
        ASSERT_EQ(cuStreamCreate(&m_b, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    }
    void add(CUstream stream, char tag, short value) { append(stream, m_log, m_length, tag, value); }
    std::vector<int> log() {
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
        int length = 0;
        cuMemcpyDtoH(&length, m_length, 4);
        std::vector<int> entries(static_cast<size_t>(length));
        cuMemcpyDtoH(entries.data(), m_log, entries.size() * 4);
        return entries;
    }

    CUdeviceptr m_log = 0;
    CUdeviceptr m_length = 0;
    CUstream m_a = nullptr;
    CUstream m_b = nullptr;
};

TEST_F(StreamTest, streamsKeepTheirOrderAndInterleave) {
    for (short i = 0; i < 20; ++i) {
        add(m_a, 1, i);
        add(m_b, 2, i);
    }
    const auto entries = log();
    ASSERT_EQ(entries.size(), 40u);
    short nextA = 0;
    short nextB = 0;
    int changes = 0;
    for (size_t i = 0; i < entries.size(); ++i) {
        EXPECT_EQ(entries[i] % 1000, entries[i] < 2000 ? nextA++ : nextB++);
        if (i && entries[i] / 1000 != entries[i - 1] / 1000) ++changes;
    }
    EXPECT_GT(changes, 5) << "two streams take turns";
    EXPECT_LT(changes, 39) << "but not in lockstep";
}

TEST_F(StreamTest, nothingRunsBeforeSomebodyWaits) {
    add(m_a, 1, 0);
    void* staged = nullptr;
    ASSERT_EQ(cuMemAllocHost(&staged, 4), CUDA_SUCCESS);
    std::memset(staged, 0, 4);
    ASSERT_EQ(cuMemcpyDtoHAsync(staged, m_length, 4, m_a), CUDA_SUCCESS);
    EXPECT_EQ(*static_cast<volatile int*>(staged), 0);
    EXPECT_EQ(cuStreamSynchronize(m_a), CUDA_SUCCESS);
    EXPECT_EQ(*static_cast<volatile int*>(staged), 1);
    cuMemFreeHost(staged);
}

TEST_F(StreamTest, pinnedMemoryIsReadWhenTheStreamComesToItPageableAtOnce) {
    void* pinned = nullptr;
    ASSERT_EQ(cuMemAllocHost(&pinned, 4), CUDA_SUCCESS);
    int pageable = 11;
    *static_cast<int*>(pinned) = 11;
    const CUdeviceptr target = allocate(8);
    cuMemcpyHtoDAsync(target, pinned, 4, m_a);
    cuMemcpyHtoDAsync(target + 4, &pageable, 4, m_a);
    *static_cast<int*>(pinned) = 22;
    pageable = 22;
    int result[2];
    cuStreamSynchronize(m_a);
    cuMemcpyDtoH(result, target, 8);
    EXPECT_EQ(result[0], 22);
    EXPECT_EQ(result[1], 11);
    cuMemFreeHost(pinned);
}

TEST_F(StreamTest, eventsOrderAcrossStreams) {
    CUevent event = nullptr;
    ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DEFAULT), CUDA_SUCCESS);
    EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS) << "never recorded";
    for (short i = 0; i < 10; ++i)
        add(m_a, 1, i);
    cuEventRecord(event, m_a);
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    cuStreamWaitEvent(m_b, event, 0);
    for (short i = 0; i < 10; ++i)
        add(m_b, 2, i);
    const auto entries = log();
    EXPECT_TRUE(std::is_sorted(entries.begin(), entries.end()));
    EXPECT_EQ(cuEventQuery(event), CUDA_SUCCESS);
    EXPECT_EQ(cuEventDestroy(event), CUDA_SUCCESS);
    EXPECT_EQ(cuEventDestroy(event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_F(StreamTest, theLegacyStreamIsABarrierForBlockingStreamsOnly) {
    CUstream blocking = nullptr;
    ASSERT_EQ(cuStreamCreate(&blocking, CU_STREAM_DEFAULT), CUDA_SUCCESS);
    for (short i = 0; i < 10; ++i)
        add(blocking, 1, i);
    for (short i = 0; i < 10; ++i)
        add(nullptr, 2, i);
    for (short i = 0; i < 10; ++i)
        add(blocking, 3, i);
    auto entries = log();
    EXPECT_TRUE(std::is_sorted(entries.begin(), entries.end()));
    cuMemsetD8(m_length, 0, 4);
    for (short i = 0; i < 20; ++i)
        add(m_a, 1, i);
    for (short i = 0; i < 20; ++i)
        add(nullptr, 2, i);
    entries = log();
    EXPECT_FALSE(std::is_sorted(entries.begin(), entries.end()));
}

TEST_F(StreamTest, queriesSeeWorkEnd) {
    for (short i = 0; i < 20; ++i)
        add(m_a, 1, i);
    EXPECT_EQ(cuStreamQuery(m_a), CUDA_ERROR_NOT_READY);
    int queries = 0;
    while (cuStreamQuery(m_a) == CUDA_ERROR_NOT_READY)
        ASSERT_LT(++queries, 100);
}

TEST_F(StreamTest, waitValuesHoldAStreamUntilAnotherWrites) {
    const CUdeviceptr flag = allocate(4);
    cuMemsetD32(flag, 0, 1);
    ASSERT_EQ(cuStreamWaitValue32(m_b, flag, 7, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
    add(m_b, 2, 0);
    add(m_a, 1, 0);
    ASSERT_EQ(cuStreamWriteValue32(m_a, flag, 7, 0), CUDA_SUCCESS);
    EXPECT_EQ(log(), (std::vector<int>{1000, 2000}));
}

TEST_F(StreamTest, hostFunctionsRunInOrderOnAnotherThreadAndMayNotCallTheDriver) {
    struct Facts {
        CUdeviceptr length;
        std::thread::id thread;
        CUresult refused;
    } facts{m_length, {}, CUDA_SUCCESS};
    add(m_a, 1, 0);
    ASSERT_EQ(cuLaunchHostFunc(
                  m_a,
                  [](void* user) {
                      auto* seen = static_cast<Facts*>(user);
                      seen->thread = std::this_thread::get_id();
                      seen->refused = cuMemFreeHost(seen);
                  },
                  &facts),
              CUDA_SUCCESS);
    add(m_a, 1, 1);
    EXPECT_EQ(log().size(), 2u);
    EXPECT_NE(facts.thread, std::thread::id());
    EXPECT_NE(facts.thread, std::this_thread::get_id());
    EXPECT_EQ(facts.refused, CUDA_ERROR_NOT_PERMITTED);
}

TEST_F(StreamTest, theDeviceGoesOnWhenNobodyAsks) {
    std::atomic<bool> called{false};
    add(m_a, 1, 0);
    cuLaunchHostFunc(
        m_a, [](void* user) { *static_cast<std::atomic<bool>*>(user) = true; }, &called);
    for (int i = 0; i < 500 && !called; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(called);
}

TEST_F(StreamTest, threadsWorkSideBySide) {
    std::vector<std::thread> threads;
    std::atomic<int> failures{0};
    const CUfunction fill = kernel("fill");
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            const auto check = [&](CUresult result) { failures += result != CUDA_SUCCESS; };
            check(cuCtxSetCurrent(m_context));
            CUstream stream = nullptr;
            check(cuStreamCreate(&stream, t % 2 ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
            for (int i = 0; i < 100; ++i) {
                CUdeviceptr data = 0;
                check(cuMemAllocAsync(&data, 4096, stream));
                float value = float(t * 1000 + i);
                int count = 1024;
                void* arguments[] = {&data, &value, &count};
                check(cuLaunchKernel(fill, 8, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
                if (i % 10 == 0)
                    check(cuLaunchHostFunc(
                        stream, [](void*) {}, nullptr));
                float seen = 0;
                check(cuMemcpyDtoHAsync(&seen, data + 4092, 4, stream));
                failures += seen != value;
                check(cuMemFreeAsync(data, stream));
                CUdeviceptr plain = 0;
                check(cuMemAlloc(&plain, 10000));
                check(cuMemFree(plain));
            }
            check(cuStreamSynchronize(stream));
            check(cuStreamDestroy(stream));
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(failures, 0);
}

TEST_F(StreamTest, aDestroyedStreamFinishesItsWork) {
    add(m_a, 1, 0);
    EXPECT_EQ(cuStreamDestroy(m_a), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamQuery(m_a), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(log().size(), 1u);
}

}  // namespace
