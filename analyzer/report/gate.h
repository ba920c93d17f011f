// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/detectors/finding.h"
#include "analyzer/model/capture.h"
#include "analyzer/report/baseline.h"
#include "analyzer/report/sharing_policy.h"

namespace vramscope::report {

/// What makes a check fail. Without options: the default gate of docs/ci.md.
struct GateOptions {
    std::vector<std::string> failOn{};  ///< rules ("leak.at-exit") or families ("fit") that fail as well
    std::vector<std::string> allow{};   ///< rules, families or fingerprints that never fail
    Baseline baseline{};
    std::optional<std::int64_t> mostPeakBytes{};
};

enum class Verdict { Fails, Known, Warns, Note };

struct JudgedFinding {
    const detectors::Finding* finding = nullptr;
    Verdict verdict = Verdict::Note;
    std::string reason;  ///< in a few words: "new", "baseline.txt:4", "allowed"
};

/// The verdict of a check on one capture.
struct GateResult {
    std::vector<JudgedFinding> findings;      ///< failing first
    std::vector<std::string> brokenLimits;    ///< a sentence each
    std::vector<std::string> missingRecords;  ///< why "no failure" cannot be said; empty when it can
    std::vector<std::string> gaps;            ///< all that is missing, also what no enabled rule needs
    std::vector<std::string> notJudged;  ///< rules that the capture holds too little for, a sentence each
    std::optional<PolicyCount> allowed;  ///< what a policy allowed, for the caller to fill in

    bool fails() const;
    /// True when nothing failed but records that the rules need are missing.
    bool isUndecided() const { return !fails() && !missingRecords.empty(); }
    std::int64_t countOf(Verdict verdict) const;
};

/// True when the default gate fails on it: proven corruption and growth, and objects, handles, pinned memory
/// or imports of which one stack left three or more.
bool failsByDefault(const detectors::Finding& finding);

/// What of `words` names no rule, no family and no fingerprint; nullopt when all do.
std::optional<std::string> firstUnknownRule(const std::vector<std::string>& words);

/// `findings` must outlive the result.
GateResult judge(const model::Capture& capture, const std::vector<detectors::Finding>& findings,
                 const GateOptions& options);

}  // namespace vramscope::report
