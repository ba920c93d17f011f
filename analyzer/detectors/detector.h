// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/detectors/finding.h"
#include "analyzer/detectors/sharing.h"
#include "analyzer/model/capture.h"
#include "analyzer/model/completeness.h"
#include "analyzer/model/library_cache.h"

namespace vramscope::detectors {

/// What a rule may look at. `earlier` holds what the rules before it found, so that one fault is told once.
struct Evidence {
    const model::Capture& capture;
    const model::Completeness& completeness;
    model::LibraryCache& libraries;
    const std::vector<Finding>& earlier;
    const SharingFilter& isAllowed;  ///< may be empty: then nothing is

    bool allows(const Sharing& sharing) const { return isAllowed && isAllowed(sharing); }

    /// Proven when no allocation or free can be missing from the record, else possible.
    Confidence fromAllocations() const {
        return completeness.allocationsAreWhole ? Confidence::Proven : Confidence::Possible;
    }
};

/// One function a rule family; each looks at the whole capture and returns what it found.
std::vector<Finding> findLeakGrowth(const Evidence& evidence);
std::vector<Finding> findLeakedVmmHandles(const Evidence& evidence);
std::vector<Finding> findLeakedObjects(const Evidence& evidence);
std::vector<Finding> findLeakedPinnedMemory(const Evidence& evidence);
std::vector<Finding> findLeakedIpcMappings(const Evidence& evidence);
std::vector<Finding> findLeaksAtExit(const Evidence& evidence);
std::vector<Finding> findDoubleFrees(const Evidence& evidence);
std::vector<Finding> findMismatchedFrees(const Evidence& evidence);
std::vector<Finding> findRefusedFrees(const Evidence& evidence);
std::vector<Finding> findOverflows(const Evidence& evidence);
/// After findOverwrites.
std::vector<Finding> findSeenOverflows(const Evidence& evidence);
std::vector<Finding> findGraphsUsingFreedMemory(const Evidence& evidence);
std::vector<Finding> findStaleImports(const Evidence& evidence);
std::vector<Finding> findOverwrites(const Evidence& evidence);
std::vector<Finding> findAliases(const Evidence& evidence);
std::vector<Finding> findOutOfMemory(const Evidence& evidence);
std::vector<Finding> findFragmentation(const Evidence& evidence);
std::vector<Finding> findStrandedPages(const Evidence& evidence);
std::vector<Finding> findPoolCaches(const Evidence& evidence);
std::vector<Finding> findGraphCaches(const Evidence& evidence);
std::vector<Finding> findUnaccounted(const Evidence& evidence);
std::vector<Finding> findCrossStreamConflicts(const Evidence& evidence);
std::vector<Finding> findCopySourceConflicts(const Evidence& evidence);
std::vector<Finding> findPendingFrees(const Evidence& evidence);
std::vector<Finding> findPoolOrderConflicts(const Evidence& evidence);
std::vector<Finding> findUsesAfterFree(const Evidence& evidence);
std::vector<Finding> findUninitialisedReads(const Evidence& evidence);

/// Runs every rule: problems first, within them proven before possible, then by class and bytes. Sharing that
/// `isAllowed` accepts makes no finding.
std::vector<Finding> detectAll(const model::Capture& capture, const SharingFilter& isAllowed = {});

}  // namespace vramscope::detectors
