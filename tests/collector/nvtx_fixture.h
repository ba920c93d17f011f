// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>
#include <string>
#include <vector>

#include "formats/arena.h"
#include "tests/collector/recorded_arena.h"

namespace vramscope::tests {

using formats::PhaseKind;
using formats::RecordType;
using Lines = std::vector<std::string>;

inline std::string numbered(const char* word, std::uint64_t number) {
    std::string text(word);
    return text.append(1, ' ').append(std::to_string(number));
}

inline nvtxEventAttributes_t event() {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    return attributes;
}

inline nvtxEventAttributes_t event(const char* text) {
    nvtxEventAttributes_t attributes = event();
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = text;
    return attributes;
}

inline nvtxEventAttributes_t event(const wchar_t* text) {
    nvtxEventAttributes_t attributes = event();
    attributes.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    attributes.message.unicode = text;
    return attributes;
}

inline nvtxEventAttributes_t event(nvtxStringHandle_t text) {
    nvtxEventAttributes_t attributes = event();
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = text;
    return attributes;
}

/// A program with NVTX's own headers on a collector that records into an arena.
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

}  // namespace vramscope::tests
