// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzer/detectors/detector.h"
#include "tests/support/capture_builder.h"

namespace vramscope::tests {

inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::int64_t kMiB = 1 << 20;

/// The findings of one rule.
inline std::vector<detectors::Finding> findingsOf(const std::vector<detectors::Finding>& findings,
                                                  const std::string& rule) {
    std::vector<detectors::Finding> wanted;
    for (const detectors::Finding& finding : findings) {
        if (finding.rule == rule) wanted.push_back(finding);
    }
    return wanted;
}

/// All findings that a person is shown as problems, as "rule" lines for a failing test's message.
inline std::string problemsIn(const std::vector<detectors::Finding>& findings) {
    std::string text;
    for (const detectors::Finding& finding : findings) {
        if (isProblem(finding.findingClass)) text += finding.rule + ": " + finding.sentence + "\n";
    }
    return text;
}

/// A loop that allocates five blocks a turn from one place, launches a kernel on them, and frees four.
inline void leakingLoop(CaptureBuilder& builder, std::int64_t turns, std::int64_t bytes,
                        bool withSteps = false) {
    const std::int64_t leaking =
        builder.stack({"/opt/app/train!make_mask@train.cpp:88", "/opt/app/train!main@train.cpp:12"});
    const std::int64_t clean =
        builder.stack({"/opt/app/train!forward@train.cpp:40", "/opt/app/train!main@train.cpp:12"});
    for (std::int64_t turn = 0; turn < turns; ++turn) {
        const std::int64_t start = (10 + turn * 10) * kMs;
        if (withSteps) builder.step(start, start + 9 * kMs);
        std::vector<std::int64_t> buffers{
            builder.allocate({.bytes = bytes, .allocNs = start + kMs, .stack = leaking})};
        for (int i = 0; i < 4; ++i) {
            buffers.push_back(builder.allocate(
                {.bytes = bytes, .allocNs = start + 2 * kMs, .freeNs = start + 8 * kMs, .stack = clean}));
        }
        builder.launch(start + 5 * kMs, buffers);
        builder.sync(start + 6 * kMs);
    }
}

}  // namespace vramscope::tests
