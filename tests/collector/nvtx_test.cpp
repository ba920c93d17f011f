// SPDX-License-Identifier: Apache-2.0
// Ranges, marks and domains: what the program gets back, and what comes into the arena.

#include <set>
#include <thread>

#include "tests/collector/nvtx_fixture.h"

namespace vramscope::tests {
namespace {

TEST_F(NvtxTest, PushAndPopInEveryForm) {
    const nvtxEventAttributes_t narrow = event("third");
    EXPECT_EQ(nvtxRangePushA("first"), 0);
    EXPECT_EQ(nvtxRangePushW(L"zw\u00f6lf \u4e94 \U0001F600"), 1);
    EXPECT_EQ(nvtxRangePushEx(&narrow), 2);
    EXPECT_EQ(nvtxRangePop(), 2);
    EXPECT_EQ(nvtxRangePop(), 1);
    EXPECT_EQ(nvtxRangePop(), 0);
    EXPECT_LT(nvtxRangePop(), 0) << "nothing is open any more";
    EXPECT_EQ(phases(), (Lines{"push \nfirst", "push \nzw\xC3\xB6lf \xE4\xBA\x94 \xF0\x9F\x98\x80",
                               "push \nthird", "pop ", "pop ", "pop "}));
    std::vector<std::int64_t> levels;
    for (const SeenRecord& seen : m_arena.records(RecordType::Phase))
        levels.push_back(formats::phaseLevel(seen.record.text.extra));
    EXPECT_EQ(levels, (std::vector<std::int64_t>{0, 1, 2, 2, 1, 0}));
}

TEST_F(NvtxTest, RecordsAreWhole) {
    nvtxRangePushA("a range");
    const SeenRecord seen = m_arena.records(RecordType::Phase).at(0);
    EXPECT_EQ(seen.record.header.slotCount, 2);
    EXPECT_EQ(seen.record.header.detail, static_cast<std::uint8_t>(PhaseKind::Push));
    EXPECT_EQ(seen.record.text.handle, 0u);
    EXPECT_GT(seen.record.header.enterTicks, 0u);
    EXPECT_EQ(seen.record.header.enterTicks, seen.record.header.exitTicks);
    nvtxRangePop();
}

TEST_F(NvtxTest, StartAndEndAcrossThreads) {
    const nvtxRangeId_t first = nvtxRangeStartA("one");
    const nvtxEventAttributes_t wide = event(L"two");
    const nvtxRangeId_t second = nvtxRangeStartEx(&wide);
    const nvtxRangeId_t third = nvtxRangeStartW(L"three");
    EXPECT_EQ((std::set{first, second, third}.size()), 3u);
    EXPECT_NE(first, 0u);
    std::thread([=] { nvtxRangeEnd(second); }).join();

    const auto seen = m_arena.records(RecordType::Phase);
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_EQ(handleOf(seen, PhaseKind::Start, "\none"), first);
    EXPECT_EQ(handleOf(seen, PhaseKind::Start, "\ntwo"), second);
    EXPECT_EQ(handleOf(seen, PhaseKind::End, ""), second);
}

TEST_F(NvtxTest, DomainsKeepTheirOwnLevels) {
    nvtxDomainHandle_t io = nvtxDomainCreateA("io");
    nvtxDomainHandle_t math = nvtxDomainCreateW(L"math\nlib");
    ASSERT_TRUE(io != nullptr && math != nullptr && io != math);
    EXPECT_EQ(nvtxDomainCreateA("io"), io) << "another module of the job made it, too";
    const nvtxEventAttributes_t read = event("read");
    const nvtxEventAttributes_t gemm = event("gemm");
    EXPECT_EQ(nvtxDomainRangePushEx(io, &read), 0);
    EXPECT_EQ(nvtxDomainRangePushEx(math, &gemm), 0);
    EXPECT_EQ(nvtxDomainRangePushEx(math, &gemm), 1);
    EXPECT_EQ(nvtxDomainRangePop(math), 1);
    EXPECT_EQ(nvtxDomainRangePop(io), 0);
    nvtxDomainMarkEx(io, &read);
    const nvtxRangeId_t id = nvtxDomainRangeStartEx(math, &gemm);
    nvtxDomainRangeEnd(math, id);
    nvtxDomainRangePop(math);
    nvtxDomainDestroy(math);
    EXPECT_EQ(phases(), (Lines{"push io\nread", "push math lib\ngemm", "push math lib\ngemm", "pop ", "pop ",
                               "mark io\nread", "start math lib\ngemm", "end ", "pop "}));
    const auto seen = m_arena.records(RecordType::Phase);
    EXPECT_EQ(seen[0].record.text.handle, seen[4].record.text.handle);
    EXPECT_EQ(seen[1].record.text.handle, seen[3].record.text.handle);
    EXPECT_NE(seen[0].record.text.handle, seen[1].record.text.handle);
}

TEST_F(NvtxTest, MarksInEveryForm) {
    const nvtxEventAttributes_t empty = event();
    nvtxEventAttributes_t cut = event("beyond the end");
    cut.size = 24;
    nvtxMarkA("a");
    nvtxMarkW(L"w");
    nvtxMarkEx(&empty);
    nvtxMarkEx(&cut);
    nvtxMarkEx(nullptr);
    nvtxMarkA(nullptr);
    nvtxMarkW(nullptr);
    EXPECT_EQ(phases(),
              (Lines{"mark \na", "mark \nw", "mark \n", "mark \n", "mark \n", "mark \n", "mark \n"}));
}

TEST_F(NvtxTest, HandlesOfOthersDoNoHarm) {
    int somewhere = 0;
    auto* domain = reinterpret_cast<nvtxDomainHandle_t>(&somewhere);
    const nvtxEventAttributes_t bad = event(reinterpret_cast<nvtxStringHandle_t>(&somewhere));
    nvtxDomainMarkEx(domain, &bad);
    nvtxDomainDestroy(domain);
    EXPECT_EQ(phases(), Lines{"mark \n"});
}

TEST_F(NvtxTest, ResourcesAndCategoriesAreHarmless) {
    nvtxResourceAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
    nvtxDomainResourceDestroy(nvtxDomainResourceCreate(nullptr, &attributes));
    nvtxNameCategoryA(1, "category");
    nvtxDomainNameCategoryW(nullptr, 1, L"category");
    nvtxInitialize(nullptr);
    EXPECT_TRUE(phases().empty());
}

TEST_F(NvtxTest, StoppedMeansNothingIsWritten) {
    nvtxMarkA("before");
    m_arena.stop();
    nvtxMarkA("after");
    nvtxNameOsThreadA(1, "after");
    EXPECT_EQ(phases(), Lines{"mark \nbefore"});
    EXPECT_TRUE(m_arena.records(RecordType::Name).empty());
}

}  // namespace
}  // namespace vramscope::tests
