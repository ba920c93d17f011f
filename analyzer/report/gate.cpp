// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/gate.h"

#include <algorithm>
#include <fmt/format.h>

#include "analyzer/detectors/rule_list.h"
#include "analyzer/model/completeness.h"
#include "analyzer/model/live_timeline.h"
#include "analyzer/model/units.h"
#include "analyzer/report/unjudged.h"

namespace vramscope::report {
namespace {

using detectors::Confidence;
using detectors::Finding;
using detectors::FindingClass;

constexpr std::int64_t kManyFromOneStack = 3;

bool isRuleNamed(const std::vector<std::string>& patterns, std::string_view rule) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return detectors::namesRule(pattern, rule); });
}

bool isNamed(const std::vector<std::string>& patterns, const Finding& finding) {
    return isRuleNamed(patterns, finding.rule) ||
           std::find(patterns.begin(), patterns.end(), finding.fingerprint) != patterns.end();
}

/// Asked for by name, a block left once counts too; caches and workspaces never do.
bool canFail(const Finding& finding) {
    return finding.confidence == Confidence::Proven &&
           (isProblem(finding.findingClass) || finding.findingClass == FindingClass::OneTime);
}

bool wouldFail(const Finding& finding, const GateOptions& options) {
    return failsByDefault(finding) || (canFail(finding) && isNamed(options.failOn, finding));
}

JudgedFinding judgeOne(const Finding& finding, const GateOptions& options) {
    const bool fails = wouldFail(finding, options);
    if (!fails && !isProblem(finding.findingClass))
        return {&finding, Verdict::Note, std::string(name(finding.findingClass))};
    if (const auto line = options.baseline.lineOf(finding.fingerprint)) {
        return {&finding, Verdict::Known, fmt::format("{}:{}", options.baseline.name(), *line)};
    }
    if (isNamed(options.allow, finding)) return {&finding, Verdict::Known, "allowed"};
    if (fails) return {&finding, Verdict::Fails, options.baseline.isLoaded() ? "new since baseline" : "new"};
    return {&finding, Verdict::Warns, std::string(name(finding.confidence))};
}

/// True when some rule or limit that is switched on could fail at all.
bool canAnythingFail(const GateOptions& options) {
    if (options.mostPeakBytes) return true;
    return std::any_of(detectors::kKnownRules.begin(), detectors::kKnownRules.end(), [&](const auto& rule) {
        const bool isOn = rule.canFailByDefault || isRuleNamed(options.failOn, rule.name);
        return isOn && !isRuleNamed(options.allow, rule.name);
    });
}

/// Of the processes that left behind what `finding` is about; null when the ends of all are known. A growth
/// or a refused free is what it is, however the process ended.
const model::Process* firstOfUnknownEnd(const model::Capture& capture, const Finding& finding) {
    if (finding.findingClass != FindingClass::Leak && finding.findingClass != FindingClass::OneTime)
        return nullptr;
    for (const model::ProcessId id : finding.processes) {
        const model::Process* process = capture.processes.find(id);
        if (process && process->isEndUnknown()) return process;
    }
    return nullptr;
}

/// What was left out of the record and is all that keeps `finding` from being proven; empty when it is
/// something else.
std::string whatWouldProve(const model::Capture& capture, const model::Completeness& completeness,
                           const Finding& finding) {
    const bool hasStack = !finding.stacks.empty() && !finding.stacks.front().stack.isNone();
    if (!hasStack && !completeness.stacksAreWhole) return "the stacks that were lost";
    if (const model::Process* process = firstOfUnknownEnd(capture, finding); process && hasStack) {
        return process->endKind == "running"
                   ? fmt::format("a recording that lasts until pid {} has ended", process->pid)
                   : fmt::format("to know how pid {} ended, which nobody could say", process->pid);
    }
    if (finding.rule != "leak.growth") return "";
    const bool knowsNoWork = capture.fact("record_mode") == "allocs";
    if (knowsNoWork) return "launches and copies, which --record=allocs leaves out";
    return completeness.workIsWhole ? "" : "launches and copies, of which not all are there";
}

/// True when the gate asks for a rule that could not be judged. Who recorded less has chosen to leave the
/// rule out, unless it is asked for by name.
bool isNeeded(const Unjudged& unjudged, const GateOptions& options) {
    return std::any_of(unjudged.rules.begin(), unjudged.rules.end(), [&](std::string_view rule) {
        return (!unjudged.isChoice || isRuleNamed(options.failOn, rule)) && !isRuleNamed(options.allow, rule);
    });
}

/// Every record that the enabled rules need is there, or a sentence for each kind that is not.
std::vector<std::string> missingFor(const model::Capture& capture, const model::Completeness& completeness,
                                    const std::vector<JudgedFinding>& judged, const GateOptions& options) {
    if (!canAnythingFail(options)) return {};
    if (!completeness.allocationsAreWhole) return completeness.gaps;
    std::vector<std::string> missing;
    for (const Unjudged& unjudged : rulesNotJudged(capture)) {
        if (isNeeded(unjudged, options)) missing.push_back(unjudged.sentence);
    }
    for (const JudgedFinding& one : judged) {
        if (one.verdict != Verdict::Warns || one.finding->confidence == Confidence::Proven) continue;
        Finding proven = *one.finding;
        proven.confidence = Confidence::Proven;
        const std::string proof = whatWouldProve(capture, completeness, *one.finding);
        if (!proof.empty() && wouldFail(proven, options)) {
            missing.push_back(
                fmt::format("{} would fail if it were proven; that needs {}.", one.finding->rule, proof));
        }
    }
    return missing;
}

}  // namespace

std::optional<std::string> firstUnknownRule(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        const bool isRule =
            std::any_of(detectors::kKnownRules.begin(), detectors::kKnownRules.end(),
                        [&](const auto& rule) { return detectors::namesRule(word, rule.name); });
        if (!isRule && !detectors::isFingerprint(word)) return word;
    }
    return std::nullopt;
}

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
                           finding.rule == "leak.pinned" || finding.rule == "leak.ipc-mapping" ||
                           finding.rule == "sharing.stale-import";
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
    result.missingRecords = missingFor(capture, completeness, result.findings, options);
    result.gaps = completeness.gaps;
    for (const Unjudged& unjudged : rulesNotJudged(capture))
        result.notJudged.push_back(unjudged.sentence);
    return result;
}

}  // namespace vramscope::report
