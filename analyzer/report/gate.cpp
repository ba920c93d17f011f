// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/gate.h"

#include <algorithm>
#include <fmt/format.h>

#include "analyzer/model/completeness.h"
#include "analyzer/model/live_timeline.h"
#include "analyzer/model/units.h"

namespace vramscope::report {
namespace {

using detectors::Confidence;
using detectors::Finding;
using detectors::FindingClass;

constexpr std::int64_t kManyFromOneStack = 3;

/// "leak" names every rule of its family; "leak.growth" that rule.
bool namesRule(std::string_view pattern, std::string_view rule) {
    return pattern == rule || (rule.size() > pattern.size() && rule.substr(0, pattern.size()) == pattern &&
                               rule[pattern.size()] == '.');
}

bool isNamed(const std::vector<std::string>& patterns, const Finding& finding) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
        return namesRule(pattern, finding.rule) || pattern == finding.fingerprint;
    });
}

/// Asked for by name, a block left once counts too; caches and workspaces never do.
bool canFail(const Finding& finding) {
    return finding.confidence == Confidence::Proven &&
           (isProblem(finding.findingClass) || finding.findingClass == FindingClass::OneTime);
}

JudgedFinding judgeOne(const Finding& finding, const GateOptions& options) {
    const bool wouldFail = failsByDefault(finding) || (canFail(finding) && isNamed(options.failOn, finding));
    const bool isWarning = isProblem(finding.findingClass);
    if (!wouldFail && !isWarning) return {&finding, Verdict::Note, std::string(name(finding.findingClass))};
    if (const auto line = options.baseline.lineOf(finding.fingerprint)) {
        return {&finding, Verdict::Known, fmt::format("{}:{}", options.baseline.name(), *line)};
    }
    if (isNamed(options.allow, finding)) return {&finding, Verdict::Known, "allowed"};
    if (wouldFail)
        return {&finding, Verdict::Fails, options.baseline.isLoaded() ? "new since baseline" : "new"};
    return {&finding, Verdict::Warns, std::string(name(finding.confidence))};
}

}  // namespace

bool GateResult::fails() const {
    return countOf(Verdict::Fails) > 0 || !brokenLimits.empty();
}

std::int64_t GateResult::countOf(Verdict verdict) const {
    return std::count_if(findings.begin(), findings.end(),
                         [&](const JudgedFinding& judged) { return judged.verdict == verdict; });
}

bool failsByDefault(const Finding& finding) {
    if (finding.confidence != Confidence::Proven) return false;
    if (finding.findingClass == FindingClass::Corruption || finding.findingClass == FindingClass::Growing)
        return true;
    const bool isCounted = finding.rule == "leak.object" || finding.rule == "leak.vmm-handle" ||
                           finding.rule == "leak.pinned" || finding.rule == "leak.ipc-mapping";
    return isCounted && finding.findingClass == FindingClass::Leak &&
           finding.largestStackCount >= kManyFromOneStack;
}

GateResult judge(const model::Capture& capture, const std::vector<Finding>& findings,
                 const GateOptions& options) {
    GateResult result;
    for (const Finding& finding : findings)
        result.findings.push_back(judgeOne(finding, options));
    std::stable_sort(result.findings.begin(), result.findings.end(),
                     [](const JudgedFinding& a, const JudgedFinding& b) { return a.verdict < b.verdict; });
    const model::LiveTimeline::Point peak = model::LiveTimeline(capture).peak();
    if (options.mostPeakBytes && peak.liveBytes > *options.mostPeakBytes) {
        result.brokenLimits.push_back(
            fmt::format("peak {} at {}, over the limit of {}", model::bytesText(peak.liveBytes),
                        model::momentText(peak.timeNs), model::bytesText(*options.mostPeakBytes)));
    }
    const model::Completeness completeness = completenessOf(capture);
    if (!completeness.allocationsAreWhole) result.missingRecords = completeness.gaps;
    return result;
}

}  // namespace vramscope::report
