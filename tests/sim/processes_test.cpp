// SPDX-License-Identifier: Apache-2.0
// Several processes on one simulated machine: capacity, death, isolation.
#include <cuda.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/sim/context_fixture.h"

namespace {

class ProcessesTest : public ContextTest {};

/// Runs this program again with one of the roles below; the role says "ready" on its standard output when it is set up.
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
        while (text.find("ready\n") == std::string::npos && read(out[0], &byte, 1) == 1) text += byte;
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
        while (true) pause();
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
    for (int i = 0; i < 200 && freeBytes() != alone; ++i) usleep(10000);
    EXPECT_EQ(freeBytes(), alone);
}

TEST_F(ProcessesTest, anAllocationTakesBackWhatADeadProcessHeld) {
    const size_t alone = freeBytes();
    {
        Child holder("holder");
    }
    cuMemFree(allocate(alone - 64 * kMiB));
}

TEST_F(ProcessesTest, nobodyReadsWhatAnotherProcessLeft) {
    const size_t alone = freeBytes();
    {
        Child holder("holder");
    }
    const CUdeviceptr block = allocate(alone);
    std::vector<unsigned char> bytes(64 * kMiB);
    for (size_t at = 0; at + bytes.size() <= alone; at += bytes.size()) {
        ASSERT_EQ(cuMemcpyDtoH(bytes.data(), block + at, bytes.size()), CUDA_SUCCESS);
        ASSERT_EQ(std::count(bytes.begin(), bytes.end(), 0x77), 0) << at;
    }
    cuMemFree(block);
}

TEST_F(ProcessesTest, aForkedChildHasNoDriver) {
    const pid_t child = fork();
    if (child == 0) {
        CUdeviceptr block = 0;
        const bool refused = cuInit(0) == CUDA_ERROR_NOT_INITIALIZED &&
                             cuMemAlloc(&block, 512) == CUDA_ERROR_NOT_INITIALIZED;
        _exit(refused ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    cuMemFree(allocate(512));
}

}  // namespace
