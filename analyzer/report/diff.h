// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyzer/detectors/finding.h"
#include "analyzer/model/breakdown.h"
#include "analyzer/model/capture.h"

namespace vramscope::report {

/// What differs between two captures. Places are matched by their readable names, findings by their
/// fingerprints.
struct Difference {
    struct Amount {
        std::string label;
        std::int64_t beforeBytes = 0;
        std::int64_t afterBytes = 0;
        std::int64_t change() const { return afterBytes - beforeBytes; }
    };
    std::string beforeName;
    std::string afterName;
    Amount peak;
    Amount end;
    std::vector<Amount> peakByLibrary;  ///< only what changed, largest change first
    std::vector<Amount> peakByStack;
    std::vector<detectors::Finding> newFindings;
    std::vector<detectors::Finding> goneFindings;
    /// What is missing from either capture, a sentence each with the capture's name: it may be why they
    /// differ, or why they do not.
    std::vector<std::string> gaps;

    /// True when no byte and no finding differs.
    bool isEmpty() const;
};

Difference differenceOf(const model::Capture& before, const model::Capture& after);
std::string diffText(const Difference& difference, std::size_t top);
nlohmann::ordered_json diffJson(const Difference& difference);

}  // namespace vramscope::report
