// SPDX-License-Identifier: Apache-2.0
// A program with NVTX's own headers, and what the collector's side of NVTX writes into the arena for it.

#include <cstdlib>
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "formats/arena.h"
#include "tests/collector/recorded_arena.h"

namespace vramscope::tests {
namespace {

using formats::NamedKind;
using formats::PhaseKind;
using formats::RecordType;

nvtxEventAttributes_t event() {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    return attributes;
}

nvtxEventAttributes_t event(const char* text) {
    nvtxEventAttributes_t attributes = event();
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = text;
    return attributes;
}

nvtxEventAttributes_t event(const wchar_t* text) {
    nvtxEventAttributes_t attributes = event();
    attributes.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    attributes.message.unicode = text;
    return attributes;
}

nvtxEventAttributes_t event(nvtxStringHandle_t text) {
    nvtxEventAttributes_t attributes = event();
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = text;
    return attributes;
}

class NvtxTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        // The entry answers a job that is being recorded only; another tool must not be loaded in its place.
        ::setenv("VRAMSCOPE_SESSION", "/somewhere", 1);
        ::unsetenv("NVTX_INJECTION64_PATH");
    }
    void SetUp() override { m_arena.start(); }

    /// "KIND TEXT" of each phase record.
    std::vector<std::string> phases() const {
        constexpr const char* kKinds[] = {"push", "pop", "start", "end", "mark"};
        std::vector<std::string> lines;
        for (const SeenRecord& seen : m_arena.records(RecordType::Phase)) {
            std::string& line = lines.emplace_back(kKinds[seen.record.header.detail]);
            line.append(1, ' ').append(seen.text);
        }
        return lines;
    }

    /// The handle in the first record of `kind` with `text`; 0 if there is none.
    static std::uint64_t handleOf(const std::vector<SeenRecord>& records, PhaseKind kind,
                                  const std::string& text) {
        for (const SeenRecord& seen : records) {
            const bool isKind = seen.record.header.detail == static_cast<std::uint8_t>(kind);
            if (isKind && seen.text == text) return seen.record.text.handle;
        }
        return 0;
    }

    RecordedArena m_arena;
};

using Lines = std::vector<std::string>;

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
                               "push \nthird", "pop ", "pop ", "pop ", "pop "}));
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

TEST_F(NvtxTest, WhatIsMadeBeforeRecordingIsRemembered) {
    m_arena.stop();
    nvtxDomainHandle_t domain = nvtxDomainCreateA("early");
    nvtxStringHandle_t narrow = nvtxDomainRegisterStringA(domain, "registered");
    nvtxStringHandle_t wide = nvtxDomainRegisterStringW(domain, L"\u00fcber");
    const nvtxEventAttributes_t outer = event(narrow);
    EXPECT_EQ(nvtxDomainRangePushEx(domain, &outer), 0);
    const nvtxRangeId_t early = nvtxRangeStartA("early");
    m_arena.start();
    EXPECT_TRUE(phases().empty());

    const nvtxEventAttributes_t inner = event(wide);
    EXPECT_EQ(nvtxDomainRangePushEx(domain, &inner), 1)
        << "the outer range counts, though it is not recorded";
    nvtxDomainMarkEx(domain, &outer);
    EXPECT_NE(nvtxRangeStartA("late"), early);
    EXPECT_EQ(nvtxDomainRangePop(domain), 1);
    EXPECT_EQ(nvtxDomainRangePop(domain), 0);
    EXPECT_EQ(phases(), (Lines{"push early\n\xC3\xBC"
                               "ber",
                               "mark early\nregistered", "start \nlate", "pop ", "pop "}));
}

TEST_F(NvtxTest, EqualStringsShareAHandle) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("strings");
    const std::string text = "same";
    nvtxStringHandle_t first = nvtxDomainRegisterStringA(domain, text.c_str());
    EXPECT_EQ(nvtxDomainRegisterStringA(domain, std::string(text).c_str()), first);
    EXPECT_NE(nvtxDomainRegisterStringA(domain, "other"), first);
    EXPECT_NE(nvtxDomainRegisterStringA(nullptr, nullptr), nullptr);
}

TEST_F(NvtxTest, HandlesOfOthersDoNoHarm) {
    int somewhere = 0;
    auto* domain = reinterpret_cast<nvtxDomainHandle_t>(&somewhere);
    const nvtxEventAttributes_t bad = event(reinterpret_cast<nvtxStringHandle_t>(&somewhere));
    nvtxDomainMarkEx(domain, &bad);
    nvtxDomainDestroy(domain);
    EXPECT_EQ(phases(), Lines{"mark \n"});
}

TEST_F(NvtxTest, ManyStringsAndDomains) {
    for (int i = 0; i < 100'000; ++i) {
        const std::string text = "string " + std::to_string(i);
        ASSERT_NE(nvtxDomainRegisterStringA(nullptr, text.c_str()), nullptr);
    }
    int withHandle = 0;
    for (int i = 0; i < 2000; ++i) {
        withHandle += nvtxDomainCreateA(("domain " + std::to_string(i)).c_str()) != nullptr ? 1 : 0;
    }
    EXPECT_GE(withHandle, 500);
    EXPECT_LT(withHandle, 2000) << "the table is bounded; what has no room is the default domain";
    const nvtxEventAttributes_t last = event(nvtxDomainRegisterStringA(nullptr, "string 100000 and more"));
    nvtxMarkEx(&last);
    ASSERT_EQ(phases().size(), 1u);
    EXPECT_TRUE(phases()[0] == "mark \nstring 100000 and more" ||
                phases()[0] == "mark \n(too many registered strings)");
}

TEST_F(NvtxTest, LevelsOfLateDomainsAreNotTracked) {
    nvtxDomainHandle_t late = nullptr;
    for (int i = 0; i < 40; ++i)
        late = nvtxDomainCreateA(("crowd " + std::to_string(i)).c_str());
    const nvtxEventAttributes_t range = event("range");
    EXPECT_EQ(nvtxDomainRangePushEx(late, &range), late != nullptr ? NVTX_NO_PUSH_POP_TRACKING : 0);
    nvtxDomainRangePop(late);
    EXPECT_EQ(phases().size(), 2u);
}

TEST_F(NvtxTest, LongTextsAreCutAndCounted) {
    const std::string narrow(10'000, 'x');
    const std::wstring wide(10'000, L'\u4e94');
    nvtxMarkA(narrow.c_str());
    nvtxMarkW(wide.c_str());
    const auto seen = m_arena.records(RecordType::Phase);
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].text, "\n" + std::string(63 * 64 - 2, 'x'));
    EXPECT_EQ(seen[1].text.size() % 3, 1u) << "cut between characters";
    EXPECT_EQ(m_arena.drops(static_cast<unsigned>(formats::DropReason::TextTooLong)), 2u);
}

TEST_F(NvtxTest, NoCharactersBecomeTheReplacementCharacter) {
    const wchar_t text[] = {L'a', static_cast<wchar_t>(0xD800), static_cast<wchar_t>(0x110000), L'z', L'\0'};
    nvtxMarkW(text);
    EXPECT_EQ(phases(), Lines{"mark \na\xEF\xBF\xBD\xEF\xBF\xBDz"});
}

TEST_F(NvtxTest, NamesOfThreadsAndStreams) {
    const auto tid = static_cast<std::uint32_t>(::gettid());
    nvtxNameOsThreadA(tid, "loader");
    nvtxNameOsThreadW(tid + 1, L"w\u00f6rker");
    nvtxNameCuStreamA(reinterpret_cast<CUstream>(0x1000), "copies");
    nvtxNameCuStreamW(reinterpret_cast<CUstream>(0x2000), L"kernels");
    nvtxNameCudaStreamA(reinterpret_cast<cudaStream_t>(0x3000), "runtime");
    nvtxNameCudaStreamW(reinterpret_cast<cudaStream_t>(0x4000), L"wide");
    nvtxNameCuStreamA(nullptr, "a default stream, which is one in each context");
    nvtxNameCuDeviceA(0, "ignored");
    nvtxNameCuContextA(nullptr, "ignored");
    nvtxNameCuEventA(nullptr, "ignored");

    std::vector<std::string> lines;
    for (const SeenRecord& seen : m_arena.records(RecordType::Name)) {
        const bool isThread = seen.record.header.detail == static_cast<std::uint8_t>(NamedKind::Thread);
        const std::uint64_t handle = isThread ? seen.record.text.handle - tid : seen.record.text.handle;
        lines.push_back((isThread ? "thread " : "stream ") + std::to_string(handle) + " " + seen.text);
    }
    EXPECT_EQ(lines, (Lines{"thread 0 loader", "thread 1 w\xC3\xB6rker", "stream 4096 copies",
                            "stream 8192 kernels", "stream 12288 runtime", "stream 16384 wide"}));
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

TEST_F(NvtxTest, ThreadsAtOnce) {
    std::vector<std::thread> threads;
    std::vector<nvtxDomainHandle_t> handles(8);
    for (std::size_t i = 0; i < handles.size(); ++i) {
        threads.emplace_back([&handles, i] {
            for (int round = 0; round < 20; ++round) {
                handles[i] = nvtxDomainCreateA(("shared " + std::to_string(round)).c_str());
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
