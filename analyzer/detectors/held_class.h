// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/held_groups.h"

namespace vramscope::detectors {

/// What it means that a library or the program still held something when the process ended.
struct HeldClass {
    FindingClass findingClass = FindingClass::Leak;
    std::string because;  ///< a sentence
};

/// Judges what `process` still held from `stack`: sets class, confidence and their reasons from who
/// allocated it and from finding.count, and makes one finding of what one library keeps on purpose. Rule,
/// count and fingerprint must be set.
void judgeHeld(const Evidence& evidence, model::ProcessId process, model::StackId stack, Finding& finding);

/// By who allocated it and how often: a framework's allocator keeps memory on purpose, a compute library
/// keeps its workspaces, a single block is seldom worth a word, several from one place are a leak.
HeldClass classOfHeld(const model::Library& library, std::int64_t count);

/// Proven only if no record is missing and the program ended well: one that stopped on an error may have
/// skipped its cleanup. And only with a stack: without one nobody can say whether a library keeps it on
/// purpose. Adds the reason to `finding.evidence`.
void setConfidenceAtExit(const Evidence& evidence, model::ProcessId process, model::StackId stack,
                         Finding& finding);

/// What a library keeps on purpose is one finding a library, not one a stack: gives such a finding the
/// library's fingerprint, so that foldEqual() makes one of them. Leaves every other finding as it is.
void foldByLibrary(const Evidence& evidence, model::StackId stack, model::ProcessId process,
                   Finding& finding);

/// True when the process returned or called exit(), or may have: what a killed one held says nothing.
/// setConfidenceAtExit() tells the sure from the unsure.
bool mayHaveEndedByItself(const model::Capture& capture, model::ProcessId process);

}  // namespace vramscope::detectors
