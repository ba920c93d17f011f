// SPDX-License-Identifier: Apache-2.0
// NVTX's tables when they fill up. A program of its own: they are never emptied, and would be full for other
// tests.

#include <set>
#include <thread>

#include "tests/collector/nvtx_fixture.h"

namespace vramscope::tests {
namespace {

TEST_F(NvtxTest, LevelsOfLateDomainsAreNotTracked) {
    nvtxDomainHandle_t late = nullptr;
    for (int i = 0; i < 40; ++i)
        late = nvtxDomainCreateA(numbered("crowd", i).c_str());
    const nvtxEventAttributes_t range = event("range");
    EXPECT_EQ(nvtxDomainRangePushEx(late, &range), late != nullptr ? NVTX_NO_PUSH_POP_TRACKING : 0);
    nvtxDomainRangePop(late);
    EXPECT_EQ(phases().size(), 2u);
}

TEST_F(NvtxTest, ThreadsAtOnce) {
    std::vector<std::thread> threads;
    std::vector<nvtxDomainHandle_t> handles(8);
    for (std::size_t i = 0; i < handles.size(); ++i) {
        threads.emplace_back([&handles, i] {
            for (int round = 0; round < 20; ++round) {
                handles[i] = nvtxDomainCreateA(numbered("shared", round).c_str());
                const nvtxEventAttributes_t range = event("work");
                nvtxDomainRangePushEx(handles[i], &range);
                nvtxDomainRangePop(handles[i]);
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(std::set(handles.begin(), handles.end()).size(), 1u);
    EXPECT_EQ(phases().size(), handles.size() * 40);
}

TEST_F(NvtxTest, ManyStringsAndDomains) {
    for (int i = 0; i < 100'000; ++i) {
        const std::string text = numbered("string", i);
        ASSERT_NE(nvtxDomainRegisterStringA(nullptr, text.c_str()), nullptr);
    }
    int withHandle = 0;
    for (int i = 0; i < 2000; ++i) {
        withHandle += nvtxDomainCreateA(numbered("domain", i).c_str()) != nullptr ? 1 : 0;
    }
    EXPECT_GE(withHandle, 500);
    EXPECT_LT(withHandle, 2000) << "the table is bounded; what has no room is the default domain";
    const nvtxEventAttributes_t last = event(nvtxDomainRegisterStringA(nullptr, "string 100000 and more"));
    nvtxMarkEx(&last);
    ASSERT_EQ(phases().size(), 1u);
    EXPECT_TRUE(phases()[0] == "mark \nstring 100000 and more" ||
                phases()[0] == "mark \n(too many registered strings)");
}

}  // namespace
}  // namespace vramscope::tests
