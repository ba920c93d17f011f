// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/detector.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "analyzer/detectors/endings.h"

namespace vramscope::detectors {
namespace {

using Rule = std::vector<Finding> (*)(const Evidence&);

// Growth and the refused frees come first: what they explain is not told again as left at exit. A fault in
// order tells nothing about who keeps the memory, so those come last.
constexpr Rule kRules[] = {
    findLeakGrowth,
    findLeakedVmmHandles,
    findLeakedObjects,
    findDoubleFrees,
    findMismatchedFrees,
    findRefusedFrees,
    findOverflows,
    findGraphsUsingFreedMemory,
    findStaleImports,
    findLeakedPinnedMemory,
    findLeakedIpcMappings,
    findLeaksAtExit,
    findFragmentation,
    findStrandedPages,
    findOutOfMemory,
    findPoolCaches,
    findGraphCaches,
    findUnaccounted,
    findCrossStreamConflicts,
    findCopySourceConflicts,
    findPendingFrees,
    findPoolOrderConflicts,
    findUsesAfterFree,
    findOverwrites,
    findSeenOverflows,
    findAliases,
    findUninitialisedReads,
};

/// Corruption before growth before what did not fit before leaks before the rest.
int rankOf(FindingClass findingClass) {
    switch (findingClass) {
        case FindingClass::Corruption:
            return 0;
        case FindingClass::Growing:
            return 1;
        case FindingClass::Fit:
            return 2;
        case FindingClass::Leak:
        case FindingClass::Sharing:
            return 3;
        default:
            return 4;
    }
}

bool comesFirst(const Finding& a, const Finding& b) {
    if (isProblem(a.findingClass) != isProblem(b.findingClass)) return isProblem(a.findingClass);
    if (a.confidence != b.confidence) return a.confidence == Confidence::Proven;
    if (rankOf(a.findingClass) != rankOf(b.findingClass))
        return rankOf(a.findingClass) < rankOf(b.findingClass);
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return a.fingerprint < b.fingerprint;
}

}  // namespace

std::vector<Finding> detectAll(const model::Capture& capture, const SharingFilter& isAllowed) {
    const model::Completeness completeness = model::completenessOf(capture);
    model::LibraryCache libraries(capture);
    std::vector<Finding> findings;
    for (Rule rule : kRules) {
        std::vector<Finding> found = foldEqual(rule({capture, completeness, libraries, findings, isAllowed}));
        std::move(found.begin(), found.end(), std::back_inserter(findings));
    }
    tellEndings(capture, findings);
    std::sort(findings.begin(), findings.end(), comesFirst);
    return findings;
}

}  // namespace vramscope::detectors
