// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/finding.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "analyzer/model/stack_text.h"

namespace vramscope::detectors {
namespace {

void foldInto(Finding& kept, const Finding& other) {
    kept.bytes = model::addClamped(kept.bytes, other.bytes);
    kept.count = model::addClamped(kept.count, other.count);
    kept.parts += other.parts;
    kept.largestStackCount = std::max(kept.largestStackCount, other.largestStackCount);
    // A gate may rest on it only if every part is proven.
    if (other.confidence == Confidence::Possible) kept.confidence = Confidence::Possible;
    kept.buffers.insert(kept.buffers.end(), other.buffers.begin(), other.buffers.end());
    for (model::ProcessId process : other.processes) {
        if (std::find(kept.processes.begin(), kept.processes.end(), process) == kept.processes.end()) {
            kept.processes.push_back(process);
        }
    }
}

}  // namespace

std::string_view name(Confidence confidence) {
    return confidence == Confidence::Proven ? "proven" : "possible";
}

std::string_view name(FindingClass findingClass) {
    switch (findingClass) {
        case FindingClass::Leak:
            return "leak";
        case FindingClass::Growing:
            return "growing";
        case FindingClass::Corruption:
            return "corruption";
        case FindingClass::Fit:
            return "fit";
        case FindingClass::PoolCache:
            return "pool-cache";
        case FindingClass::LibraryWorkspace:
            return "library-workspace";
        case FindingClass::OneTime:
            return "one-time";
        case FindingClass::TeardownOrder:
            return "teardown-order";
        case FindingClass::Unaccounted:
            return "unaccounted";
        case FindingClass::Recovered:
            return "recovered";
        case FindingClass::Sharing:
            return "sharing";
    }
    return "";
}

bool isProblem(FindingClass findingClass) {
    return findingClass == FindingClass::Leak || findingClass == FindingClass::Growing ||
           findingClass == FindingClass::Corruption || findingClass == FindingClass::Sharing ||
           findingClass == FindingClass::Fit;
}

std::string fingerprintOf(const model::Capture& capture, std::string_view rule, model::StackId stack,
                          std::string_view detail) {
    const std::string text = fmt::format("{}\n{}\n{}", rule, model::stableName(capture, stack), detail);
    return fmt::format("{:016x}", static_cast<std::uint64_t>(XXH64(text.data(), text.size(), 0)));
}

bool isFingerprint(std::string_view word) {
    return word.size() == 16 && word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::vector<Finding> foldEqual(std::vector<Finding> findings) {
    std::vector<Finding> folded;
    std::unordered_map<std::string, std::size_t> positions;
    for (Finding& finding : findings) {
        // What one process is proven to have leaked stays proven when it cannot be told of another.
        const bool standsAlone =
            isProblem(finding.findingClass) && finding.confidence == Confidence::Possible;
        const auto [at, isNew] =
            positions.emplace(finding.fingerprint + (standsAlone ? "?" : ""), folded.size());
        if (isNew)
            folded.push_back(std::move(finding));
        else
            foldInto(folded[at->second], finding);
    }
    return folded;
}

}  // namespace vramscope::detectors
