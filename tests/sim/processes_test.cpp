// SPDX-License-Identifier: Apache-2.0
// Several processes on one simulated machine: capacity, death, isolation.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <fstream>
#include <gtest/gtest.h>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/sim/context_fixture.h"

namespace {

class ProcessesTest : public ContextTest {};

/// Runs this program again with one of the roles below; the role says "ready" on its standard output when it
/// is set up.
class Child {
public:
    explicit Child(const std::string& role) {
        int out[2];
        EXPECT_EQ(pipe(out), 0);
        m_pid = fork();
        if (m_pid == 0) {
            dup2(out[1], 1);
            close(out[0]);
            close(out[1]);
            const std::string filter = "--gtest_filter=Role.DISABLED_" + role;
            execl("/proc/self/exe", "role", filter.c_str(), "--gtest_also_run_disabled_tests", nullptr);
            _exit(127);
        }
        close(out[1]);
        std::string text;
        char byte = 0;
        while (text.find("ready\n") == std::string::npos && read(out[0], &byte, 1) == 1)
            text += byte;
        EXPECT_NE(text.find("ready\n"), std::string::npos) << text;
        close(out[0]);
    }
    ~Child() { kill(); }
    void kill() {
        if (!m_pid) return;
        ::kill(m_pid, SIGKILL);
        if (m_reap) waitpid(m_pid, nullptr, 0);
        m_pid = 0;
    }
    void leaveZombie() { m_reap = false; }

private:
    pid_t m_pid = 0;
    bool m_reap = true;
};

class Role : public ContextTest {
protected:
    static void readyAndWait() {
        EXPECT_EQ(write(1, "ready\n", 6), 6);
        while (true)
            pause();
    }
};

TEST_F(Role, DISABLED_holder) {
    CUdeviceptr block = allocate(400 * kMiB);
    EXPECT_EQ(cuMemsetD8(block, 0x77, 400 * kMiB), CUDA_SUCCESS);
    readyAndWait();
}

TEST_F(ProcessesTest, capacityIsShared) {
    const size_t alone = freeBytes();
    Child holder("holder");
    EXPECT_EQ(alone - freeBytes(), (400 + 64) * kMiB);
    CUdeviceptr block = 0;
    EXPECT_EQ(cuMemAlloc(&block, alone - 400 * kMiB), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(ProcessesTest, aKilledProcessLosesItsMemoryAtTheNextLook) {
    const size_t alone = freeBytes();
    Child holder("holder");
    EXPECT_LT(freeBytes(), alone);
    holder.leaveZombie();
    holder.kill();
    // Nobody has waited for it yet: a zombie holds no memory.
    for (int i = 0; i < 200 && freeBytes() != alone; ++i)
        usleep(10000);
    EXPECT_EQ(freeBytes(), alone);
}

TEST_F(ProcessesTest, anAllocationTakesBackWhatADeadProcessHeld) {
    const size_t alone = freeBytes();
    { Child holder("holder"); }
    cuMemFree(allocate(alone - 64 * kMiB));
}

TEST_F(ProcessesTest, nobodyReadsWhatAnotherProcessLeft) {
    const size_t alone = freeBytes();
    { Child holder("holder"); }
    const CUdeviceptr block = allocate(alone);
    std::vector<unsigned char> bytes(64 * kMiB);
    for (size_t at = 0; at + bytes.size() <= alone; at += bytes.size()) {
        ASSERT_EQ(cuMemcpyDtoH(bytes.data(), block + at, bytes.size()), CUDA_SUCCESS);
        ASSERT_EQ(std::count(bytes.begin(), bytes.end(), 0x77), 0) << at;
    }
    cuMemFree(block);
}

std::string handlePath() {
    return std::string(std::getenv("VRAMSCOPE_SIM_DEVICE")) + ".handle";
}

void writeHandle(CUdeviceptr block) {
    CUipcMemHandle handle;
    EXPECT_EQ(cuIpcGetMemHandle(&handle, block), CUDA_SUCCESS);
    std::ofstream(handlePath(), std::ios::binary).write(handle.reserved, sizeof handle.reserved);
}

CUipcMemHandle readHandle() {
    CUipcMemHandle handle{};
    std::ifstream(handlePath(), std::ios::binary).read(handle.reserved, sizeof handle.reserved);
    return handle;
}

/// Exports a large block, waits to be told, frees it.
TEST_F(Role, DISABLED_exporter) {
    const CUdeviceptr first = allocate(300 * 1024);
    const CUdeviceptr block = allocate(5 * kMiB);
    cuMemsetD8(first, 0x10, 300 * 1024);
    EXPECT_EQ(cuMemsetD8(block, 0x21, 5 * kMiB), CUDA_SUCCESS);
    writeHandle(block);
    EXPECT_EQ(write(1, "ready\n", 6), 6);
    unsigned char seen = 0x21;
    while (seen == 0x21) {
        usleep(1000);
        cuMemcpyDtoH(&seen, block + 4 * kMiB, 1);
    }
    EXPECT_EQ(cuMemFree(block), CUDA_SUCCESS);
    while (true)
        pause();
}

TEST_F(ProcessesTest, importedMemoryIsTheExportersAndOutlivesItsFree) {
    Child exporter("exporter");
    const CUipcMemHandle handle = readHandle();
    CUdeviceptr block = 0;
    CUdeviceptr again = 0;
    ASSERT_EQ(cuIpcOpenMemHandle(&block, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), CUDA_SUCCESS);
    EXPECT_EQ(cuIpcOpenMemHandle(&again, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), CUDA_SUCCESS);
    EXPECT_EQ(again, block);
    EXPECT_EQ(cuIpcCloseMemHandle(again), CUDA_SUCCESS);
    unsigned char seen = 0;
    EXPECT_EQ(cuMemcpyDtoH(&seen, block + 5 * kMiB - 1, 1), CUDA_SUCCESS);
    EXPECT_EQ(seen, 0x21);
    EXPECT_EQ(cuMemcpyDtoH(&seen, block + 5 * kMiB, 1), CUDA_ERROR_INVALID_VALUE);
    const size_t before = freeBytes();
    EXPECT_EQ(cuMemsetD8(block + 4 * kMiB, 0x22, 1), CUDA_SUCCESS);
    CUdeviceptr stale = 0;
    // The exporter sees the write and frees; the pages stay as long as they are mapped here.
    usleep(300000);
    EXPECT_EQ(freeBytes(), before);
    EXPECT_EQ(cuMemcpyDtoH(&seen, block + 4 * kMiB, 1), CUDA_SUCCESS);
    EXPECT_EQ(seen, 0x22);
    EXPECT_EQ(cuIpcCloseMemHandle(block), CUDA_SUCCESS);
    EXPECT_EQ(freeBytes(), before + 6 * kMiB);
    EXPECT_EQ(cuIpcCloseMemHandle(block), CUDA_ERROR_INVALID_VALUE);
    EXPECT_NE(cuIpcOpenMemHandle(&stale, handle, 1), CUDA_SUCCESS);
}

/// Holds its stream up until the parent writes into its memory; then the recorded event is over.
TEST_F(Role, DISABLED_eventOwner) {
    const CUdeviceptr flag = allocate(4);
    cuMemsetD32(flag, 0, 1);
    CUstream stream = nullptr;
    CUevent event = nullptr;
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    ASSERT_EQ(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    cuStreamWaitValue32(stream, flag, 1, CU_STREAM_WAIT_VALUE_EQ);
    cuMemsetD32Async(flag, 2, 1, stream);
    cuEventRecord(event, stream);
    writeHandle(flag);
    CUipcEventHandle handle;
    EXPECT_EQ(cuIpcGetEventHandle(&handle, event), CUDA_SUCCESS);
    std::ofstream(handlePath() + "2", std::ios::binary).write(handle.reserved, sizeof handle.reserved);
    EXPECT_EQ(write(1, "ready\n", 6), 6);
    cuStreamSynchronize(stream);
    while (true)
        pause();
}

TEST_F(ProcessesTest, eventsOrderWorkAcrossProcesses) {
    Child owner("eventOwner");
    CUdeviceptr flag = 0;
    ASSERT_EQ(cuIpcOpenMemHandle(&flag, readHandle(), CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), CUDA_SUCCESS);
    CUipcEventHandle handle{};
    std::ifstream(handlePath() + "2", std::ios::binary).read(handle.reserved, sizeof handle.reserved);
    CUevent event = nullptr;
    ASSERT_EQ(cuIpcOpenEventHandle(&event, handle), CUDA_SUCCESS);
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    CUstream stream = nullptr;
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    void* seen = nullptr;
    ASSERT_EQ(cuMemAllocHost(&seen, 4), CUDA_SUCCESS);
    cuStreamWaitEvent(stream, event, 0);
    cuMemcpyDtoHAsync(seen, flag, 4, stream);
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    cuMemsetD32(flag, 1, 1);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(*static_cast<int*>(seen), 2) << "read after the other process had written";
    EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
    EXPECT_EQ(cuEventDestroy(event), CUDA_SUCCESS);
    EXPECT_EQ(cuIpcCloseMemHandle(flag), CUDA_SUCCESS);
    cuMemFreeHost(seen);
}

TEST_F(ProcessesTest, handlesIdentifyAllocations) {
    const CUdeviceptr block = allocate(4096);
    CUipcMemHandle first;
    CUipcMemHandle second;
    ASSERT_EQ(cuIpcGetMemHandle(&first, block), CUDA_SUCCESS);
    ASSERT_EQ(cuIpcGetMemHandle(&second, block), CUDA_SUCCESS);
    EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0);
    CUdeviceptr mapped = 0;
    EXPECT_EQ(cuIpcOpenMemHandle(&mapped, first, 1), CUDA_ERROR_INVALID_CONTEXT) << "our own";
    cuMemFree(block);
    ASSERT_EQ(allocate(4096), block);
    ASSERT_EQ(cuIpcGetMemHandle(&second, block), CUDA_SUCCESS);
    EXPECT_NE(std::memcmp(&first, &second, sizeof first), 0);
    cuMemFree(block);
}

TEST_F(ProcessesTest, aForkedChildHasNoDriver) {
    const pid_t child = fork();
    if (child == 0) {
        CUdeviceptr block = 0;
        const bool refused =
            cuInit(0) == CUDA_ERROR_NOT_INITIALIZED && cuMemAlloc(&block, 512) == CUDA_ERROR_NOT_INITIALIZED;
        _exit(refused ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    cuMemFree(allocate(512));
}

}  // namespace
