// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/capture.h"

namespace vramscope::detectors {

/// Proven: arithmetic or a refusal over a record without losses. Possible: everything else. Only proven fails
/// a gate.
enum class Confidence { Proven, Possible };

/// What kind of thing a finding is, so that nobody is shouted at for a cache.
enum class FindingClass {
    Leak,
    Growing,
    Corruption,
    Fit,
    PoolCache,
    LibraryWorkspace,
    OneTime,
    TeardownOrder,
    Unaccounted,
    Recovered,
    Sharing,
};

std::string_view name(Confidence confidence);
/// "leak", "growing", "pool-cache" and so on.
std::string_view name(FindingClass findingClass);
/// True for what a person should look at first; the others are facts worth knowing.
bool isProblem(FindingClass findingClass);

struct LabelledStack {
    std::string label;  ///< what happened there: "allocated", "first freed"
    model::StackId stack;
};

/// What happened at one moment: a sentence that needs no more than the moment in front of it.
struct DatedFact {
    std::int64_t timeNs = 0;
    std::string sentence;
    model::StackId stack;  ///< where, or none
};

/// One fault, however often and in however many processes it shows itself.
struct Finding {
    std::string rule;  ///< "leak.growth"
    Confidence confidence = Confidence::Possible;
    FindingClass findingClass = FindingClass::Leak;
    std::string headline;               ///< the amount in a few words: "+12.0 MiB a step"
    std::string sentence;               ///< what is wrong, for a person
    std::vector<std::string> evidence;  ///< facts, a sentence each
    std::string because;                ///< why it has its class; empty where the rule says it all
    std::string wouldProveWrong;        ///< what would make it no fault
    std::string wouldMakeSure;          ///< which flag would make it sure; empty when it is
    std::vector<LabelledStack> stacks;  ///< the first is where to look
    std::vector<DatedFact> moments;  ///< in order of time, the fault last; empty where its buffers say it all
    std::optional<DatedFact> ending;       ///< the error that its process ended with later, and how far off
    std::vector<model::BufferId> buffers;  ///< all of them, earliest first
    std::vector<model::ProcessId> processes;
    std::int64_t bytes = 0;
    std::int64_t count = 0;              ///< buffers, objects or calls
    std::int64_t largestStackCount = 0;  ///< the most that one stack left
    std::int64_t parts =
        1;  ///< findings folded into this one; headline and sentence speak of the first of them
    std::string fingerprint;  ///< 16 hexadecimal digits, the same in every run of the same fault
};

/// The fingerprint of `rule` at `stack`; `detail` tells faults apart that the stack does not (or that have
/// none).
std::string fingerprintOf(const model::Capture& capture, std::string_view rule, model::StackId stack,
                          std::string_view detail = {});

/// True for a word that looks like a fingerprint.
bool isFingerprint(std::string_view word);

/// Folds findings of one fingerprint into one with summed bytes and counts, keeping the order of first
/// appearance. Problems that are only possible are one finding of their own: one worker whose end nobody saw
/// takes nothing away from what another is proven to have leaked.
std::vector<Finding> foldEqual(std::vector<Finding> findings);

}  // namespace vramscope::detectors
