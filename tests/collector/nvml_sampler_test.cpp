// SPDX-License-Identifier: Apache-2.0
#include "collector/nvml/nvml_sampler.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/collector/fake_nvml/fake_nvml.h"

namespace vramscope::nvml {
namespace {

constexpr std::uint64_t kMiB = 1U << 20;

class Nvml : public testing::Test {
protected:
    void SetUp() override {
        answers = answersOf(VRAMSCOPE_FAKE_NVML);
        *answers = {};
    }
    static FakeNvmlAnswers* answersOf(const char* library) {
        void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
        EXPECT_NE(handle, nullptr) << ::dlerror();
        return reinterpret_cast<FakeNvmlAnswers* (*)()>(::dlsym(handle, "fakeNvmlAnswers"))();
    }
    static NvmlSampler opened(const char* library = VRAMSCOPE_FAKE_NVML) {
        StatusOr<NvmlSampler> sampler = NvmlSampler::open(library);
        EXPECT_TRUE(sampler.isOk()) << sampler.status().message();
        return std::move(*sampler);
    }

    FakeNvmlAnswers* answers = nullptr;
};

TEST_F(Nvml, ListsDevices) {
    answers->gpuCount = 2;
    const NvmlSampler sampler = opened();
    ASSERT_EQ(sampler.devices().size(), 2U);
    const DeviceFacts& device = sampler.devices()[1];
    EXPECT_EQ(device.uuid, "GPU-2");
    EXPECT_EQ(device.name, "Fake GPU");
    EXPECT_EQ(device.pciBusId, "00000000:1B:00.0");
    EXPECT_EQ(device.totalBytes, 1000 * kMiB);
    EXPECT_EQ(device.driverVersion, "999.1");
}

TEST_F(Nvml, ProcessInTwoListsCountsOnce) {
    answers->processCount = 2;
    const std::vector<DeviceUse> uses = opened().sample();
    ASSERT_EQ(uses.size(), 1U);
    EXPECT_EQ(uses[0].usedBytes, 300 * kMiB);
    ASSERT_TRUE(uses[0].processes.has_value());
    const std::vector<ProcessUse>& processes = *uses[0].processes;
    ASSERT_EQ(processes.size(), 3U);
    EXPECT_EQ(processes[0].pid, 7);
    EXPECT_EQ(processes[1].pid, 1000);
    EXPECT_EQ(processes[1].usedBytes, 5 * kMiB);
    EXPECT_EQ(processes[2].usedBytes, 2 * kMiB);
}

TEST_F(Nvml, ListThatGrowsIsAskedAgain) {
    answers->processCount = 200;
    answers->grownBy = 30;
    const std::vector<DeviceUse> uses = opened().sample();
    ASSERT_TRUE(uses[0].processes.has_value());
    EXPECT_EQ(answers->processQuestions, 3);
    EXPECT_EQ(uses[0].processes->size(), answers->processCount + 1);
}

TEST_F(Nvml, ListThatNeverFitsIsGivenUp) {
    answers->processCount = 200;
    answers->grownBy = 40'000;
    EXPECT_FALSE(opened().sample()[0].processes.has_value());
    EXPECT_LE(answers->processQuestions, 5);
}

TEST_F(Nvml, HiddenBytesAreNotZero) {
    answers->processCount = 2;
    answers->hidesBytes = true;
    const std::vector<DeviceUse> uses = opened().sample();
    EXPECT_EQ(uses[0].processes->at(2).pid, 1001);
    EXPECT_FALSE(uses[0].processes->at(2).usedBytes.has_value());
}

TEST_F(Nvml, NoListIsNotAnEmptyList) {
    answers->processResult = 3;
    EXPECT_FALSE(opened().sample()[0].processes.has_value());
    EXPECT_EQ(opened().sample()[0].usedBytes, 300 * kMiB);
}

TEST_F(Nvml, LostDeviceHasNoUse) {
    const NvmlSampler sampler = opened();
    answers->memoryResult = 15;
    EXPECT_FALSE(sampler.sample()[0].usedBytes.has_value());
}

TEST_F(Nvml, InstancesStandForTheirGpu) {
    answers->gpuCount = 2;
    answers->hasMig = true;
    const NvmlSampler sampler = opened();
    ASSERT_EQ(sampler.devices().size(), 3U);
    EXPECT_EQ(sampler.devices()[0].uuid, "MIG-100");
    EXPECT_EQ(sampler.devices()[1].uuid, "MIG-102");
    EXPECT_EQ(sampler.devices()[1].name, "Fake GPU");
    EXPECT_EQ(sampler.devices()[2].uuid, "GPU-2");
}

TEST_F(Nvml, OldLibraryGivesTotalsOnly) {
    *answersOf(VRAMSCOPE_FAKE_NVML_OLD) = {};
    const NvmlSampler sampler = opened(VRAMSCOPE_FAKE_NVML_OLD);
    ASSERT_EQ(sampler.devices().size(), 1U);
    EXPECT_EQ(sampler.devices()[0].pciBusId, "");
    EXPECT_EQ(sampler.sample()[0].usedBytes, 400 * kMiB);
    EXPECT_FALSE(sampler.sample()[0].processes.has_value());
}

TEST_F(Nvml, FailuresAreSaidInWords) {
    answers->initResult = 9;
    const Status failed = NvmlSampler::open(VRAMSCOPE_FAKE_NVML).status();
    EXPECT_EQ(failed.kind(), ErrorKind::System);
    EXPECT_NE(failed.message().find("could not start (Driver Not Loaded)"), std::string::npos)
        << failed.message();
    const Status absent = NvmlSampler::open("libno-such-nvml.so.1").status();
    EXPECT_NE(absent.message().find("libno-such-nvml.so.1"), std::string::npos) << absent.message();
    const Status foreign = NvmlSampler::open("libm.so.6").status();
    EXPECT_NE(foreign.message().find("libm.so.6 lacks functions"), std::string::npos) << foreign.message();
    EXPECT_EQ(answers->running, 0);
}

TEST_F(Nvml, IsShutDownOnce) {
    {
        NvmlSampler first = opened();
        NvmlSampler second = std::move(first);
        EXPECT_EQ(answers->running, 1);
    }
    EXPECT_EQ(answers->running, 0);
}

}  // namespace
}  // namespace vramscope::nvml
