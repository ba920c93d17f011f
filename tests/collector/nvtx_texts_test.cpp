// SPDX-License-Identifier: Apache-2.0
// Texts of NVTX: registered strings, names, and those that are long, wide or no text at all.

#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <unistd.h>

#include "tests/collector/nvtx_fixture.h"

namespace vramscope::tests {
namespace {

using formats::NamedKind;

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

TEST_F(NvtxTest, LongTextsAreCutAndCounted) {
    const std::string narrow(10'000, 'x');
    const std::wstring wide(10'000, L'\u4e94');
    nvtxMarkA(narrow.c_str());
    nvtxMarkW(wide.c_str());
    const auto seen = m_arena.records(RecordType::Phase);
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].text, "\n" + std::string(63 * 64 - 1, 'x'));
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
        lines.push_back(numbered(isThread ? "thread" : "stream", handle).append(1, ' ').append(seen.text));
    }
    EXPECT_EQ(lines, (Lines{"thread 0 loader", "thread 1 w\xC3\xB6rker", "stream 4096 copies",
                            "stream 8192 kernels", "stream 12288 runtime", "stream 16384 wide"}));
}

}  // namespace
}  // namespace vramscope::tests
