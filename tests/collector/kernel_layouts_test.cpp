// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/kernel_layouts.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "collector/inject/driver_api.h"
#include "tests/collector/recorded_arena.h"

namespace vramscope::collector {

DriverApi g_driver;
bool mayCallDriver() {
    return true;
}

namespace {

// A driver whose kernels have `g_parameters` pointers each.
std::size_t g_parameters = 3;

CUresult parameterInfo(CUfunction, std::size_t index, std::size_t* offset, std::size_t* size) {
    if (index >= g_parameters) return CUDA_ERROR_INVALID_VALUE;
    *offset = index * 8;
    *size = 8;
    return CUDA_SUCCESS;
}

class KernelLayoutsTest : public ::testing::Test {
protected:
    void SetUp() override {
        g_driver.funcGetParamInfo = parameterInfo;
        g_parameters = 3;
        ASSERT_TRUE(prepareKernelLayouts());
        m_arena.start();
    }

    const KernelLayout* launch(std::uint64_t function) {
        const CUpti_CallbackData data{};
        Call call{*currentThread(), data, 0, 0, 0, 0};
        return kernelLayout(call, function);
    }

    tests::RecordedArena m_arena;
};

TEST_F(KernelLayoutsTest, AModuleThatComesAndGoesUsesTheSameMemory) {
    constexpr std::uint64_t kKernels = 100;
    std::set<const KernelLayout*> layouts;
    // 100 kernels of 64 bytes each would fill the 32 MiB after 5,243 rounds.
    for (int round = 0; round < 6000; ++round) {
        for (std::uint64_t kernel = 1; kernel <= kKernels; ++kernel) {
            const KernelLayout* layout = launch(kernel * 0x1000);
            ASSERT_NE(layout, nullptr) << "round " << round;
            layouts.insert(layout);
        }
        forgetKernelLayouts();
    }
    EXPECT_EQ(layouts.size(), kKernels);
}

TEST_F(KernelLayoutsTest, AHandleThatMeansAnotherKernelGetsItsParameters) {
    EXPECT_EQ(launch(0x1000)->parameterCount, 3U);
    g_parameters = 5;
    EXPECT_EQ(launch(0x1000)->parameterCount, 3U) << "nothing was unloaded: nothing is asked again";
    forgetKernelLayouts();
    EXPECT_EQ(recentKernelLayout(0x1000), nullptr);
    EXPECT_EQ(launch(0x1000)->parameterCount, 5U);
    EXPECT_EQ(recentKernelLayout(0x1000)->wordCount, 5U);
}

// Functions that the table of recent layouts keeps in one set.
std::vector<std::uint64_t> functionsOfOneSet(std::size_t count) {
    std::vector<std::uint64_t> found;
    for (std::uint64_t function = 0x1000; found.size() < count; function += 0x40) {
        if (recentLayoutSet(layoutHash(function)) == 7) found.push_back(function);
    }
    return found;
}

TEST_F(KernelLayoutsTest, TwoKernelsOfOneSetAreBothRecentAndAThirdDisplacesTheOlder) {
    const std::vector<std::uint64_t> functions = functionsOfOneSet(3);
    const KernelLayout* first = launch(functions[0]);
    const KernelLayout* second = launch(functions[1]);
    EXPECT_EQ(recentKernelLayout(functions[0]), first);
    EXPECT_EQ(recentKernelLayout(functions[1]), second);
    const KernelLayout* third = launch(functions[2]);
    EXPECT_EQ(recentKernelLayout(functions[0]), nullptr);
    EXPECT_EQ(recentKernelLayout(functions[1]), second);
    EXPECT_EQ(recentKernelLayout(functions[2]), third);
}

TEST_F(KernelLayoutsTest, ADoubtfulLayoutIsNotMovedOn) {
    const std::vector<std::uint64_t> functions = functionsOfOneSet(2);
    launch(functions[0]);
    auto& set = g_hot.recentLayouts[recentLayoutSet(layoutHash(functions[0]))];
    const std::uint32_t doubtful = set[0].load();
    forgetKernelLayouts();
    // As another thread sees it that read the table before it was cleared.
    set[0].store(doubtful);
    EXPECT_NE(launch(functions[1]), nullptr);
    EXPECT_EQ(recentKernelLayout(functions[0]), nullptr);
}

TEST_F(KernelLayoutsTest, MoreHandlesThanPlacesDisplaceWhatIsDoubtful) {
    // More than the index has places, in modules that were unloaded one by one.
    for (std::uint64_t kernel = 1; kernel <= 200'000; ++kernel) {
        ASSERT_NE(launch(kernel * 0x40), nullptr) << kernel;
        if (kernel % 1000 == 0) forgetKernelLayouts();
    }
}

}  // namespace
}  // namespace vramscope::collector
