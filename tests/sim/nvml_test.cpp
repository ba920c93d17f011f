// SPDX-License-Identifier: Apache-2.0
// What NVML says must be what the driver did.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

#include "samples/sim/nvml/nvml_abi.h"
#include "tests/sim/context_fixture.h"

namespace {

class NvmlTest : public ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        m_library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
        ASSERT_NE(m_library, nullptr) << dlerror();
        ASSERT_EQ(call("nvmlInit_v2"), kNvmlSuccess);
        ASSERT_EQ(call("nvmlDeviceGetHandleByIndex_v2", 0u, &m_nvmlDevice), kNvmlSuccess);
    }
    void TearDown() override {
        EXPECT_EQ(call("nvmlShutdown"), kNvmlSuccess);
        ContextTest::TearDown();
    }
    template <typename... Arguments>
    NvmlResult call(const char* name, Arguments... arguments) {
        auto* function = reinterpret_cast<NvmlResult (*)(Arguments...)>(dlsym(m_library, name));
        return function ? function(arguments...) : -1;
    }
    unsigned long long ownBytes() {
        NvmlProcessInfo processes[8];
        unsigned int count = 8;
        EXPECT_EQ(call("nvmlDeviceGetComputeRunningProcesses_v3", m_nvmlDevice, &count, &processes[0]),
                  kNvmlSuccess);
        for (unsigned int i = 0; i < count; ++i) {
            if (pid_t(processes[i].pid) == getpid()) return processes[i].usedGpuMemory;
        }
        return 0;
    }

    void* m_library = nullptr;
    NvmlDevice m_nvmlDevice = nullptr;
};

TEST_F(NvmlTest, thisProcessUsesWhatItAllocated) {
    EXPECT_EQ(ownBytes(), 64 * kMiB) << "the context";
    const CUdeviceptr block = allocate(100 * kMiB + 1);
    EXPECT_EQ(ownBytes(), 166 * kMiB);
    cuMemFree(block);
    EXPECT_EQ(ownBytes(), 64 * kMiB);
}

TEST_F(NvmlTest, theDeviceIsTheDriversDevice) {
    NvmlMemory memory{};
    ASSERT_EQ(call("nvmlDeviceGetMemoryInfo", m_nvmlDevice, &memory), kNvmlSuccess);
    EXPECT_EQ(memory.free, freeBytes());
    EXPECT_EQ(memory.used + memory.free, memory.total);
    NvmlMemoryV2 second{};
    EXPECT_EQ(call("nvmlDeviceGetMemoryInfo_v2", m_nvmlDevice, &second), kNvmlInvalidArgument)
        << "no version";
    second.version = nvmlVersion<NvmlMemoryV2>(2);
    EXPECT_EQ(call("nvmlDeviceGetMemoryInfo_v2", m_nvmlDevice, &second), kNvmlSuccess);
    EXPECT_EQ(second.total, memory.total);

    char text[96] = {};
    ASSERT_EQ(call("nvmlDeviceGetUUID", m_nvmlDevice, &text[0], 96u), kNvmlSuccess);
    CUuuid uuid;
    ASSERT_EQ(cuDeviceGetUuid(&uuid, m_device), CUDA_SUCCESS);
    char first[9];
    std::snprintf(first, sizeof first, "%02x%02x%02x%02x", uuid.bytes[0] & 255, uuid.bytes[1] & 255,
                  uuid.bytes[2] & 255, uuid.bytes[3] & 255);
    EXPECT_EQ(std::string(text).substr(0, 12), std::string("GPU-") + first);
    NvmlDevice same = nullptr;
    EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", static_cast<const char*>(text), &same), kNvmlSuccess);
    EXPECT_EQ(same, m_nvmlDevice);
    EXPECT_EQ(call("nvmlDeviceGetName", m_nvmlDevice, &text[0], 96u), kNvmlSuccess);
    char name[96];
    cuDeviceGetName(name, sizeof name, m_device);
    EXPECT_STREQ(text, name);
    EXPECT_EQ(call("nvmlDeviceGetName", m_nvmlDevice, &text[0], 3u), kNvmlInsufficientSize);
}

}  // namespace
