// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/summary.h"

#include <algorithm>
#include <fmt/format.h>

#include "analyzer/model/breakdown.h"
#include "analyzer/model/live_timeline.h"
#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"
#include "analyzer/report/report_text.h"

namespace vramscope::report {
namespace {

using detectors::Finding;

constexpr std::size_t kSharesShown = 4;
constexpr std::size_t kProblemsShown = 4;

std::string peakLine(const model::Capture& capture) {
    const model::LiveTimeline::Point peak = model::LiveTimeline(capture).peak();
    if (peak.liveBytes == 0) return "  peak         no device memory was allocated\n";
    std::string text = fmt::format("  peak         {} at {}", model::bytesText(peak.liveBytes),
                                   model::momentText(peak.timeNs));
    const auto shares = liveShares(capture, peak.timeNs, model::SplitBy::Library);
    for (std::size_t i = 0; i < std::min(shares.size(), kSharesShown); ++i) {
        text += fmt::format("   {} {}", printable(shares[i].label), model::bytesText(shares[i].bytes));
    }
    return text + "\n";
}

std::string endLine(const model::Capture& capture, const std::vector<Finding>& findings) {
    std::int64_t leaking = 0;
    for (const Finding& finding : findings) {
        const bool isLeak = finding.findingClass == detectors::FindingClass::Leak ||
                            finding.findingClass == detectors::FindingClass::Growing;
        if (isLeak) leaking = model::addClamped(leaking, finding.bytes);
    }
    const std::int64_t live = totalBytes(sharesHeldAtEnd(capture, model::SplitBy::Kind));
    std::string text = fmt::format("  live at end  {}", model::bytesText(live));
    if (leaking > 0) text += fmt::format("   leaking {}", model::bytesText(leaking));
    return text + "\n";
}

std::string problemsLine(const model::Capture& capture, const std::vector<Finding>& findings) {
    std::string listed;
    std::size_t count = 0;
    for (const Finding& finding : findings) {
        if (!isProblem(finding.findingClass)) continue;
        if (++count > kProblemsShown) continue;
        const model::StackId stack = finding.stacks.empty() ? model::StackId() : finding.stacks.front().stack;
        listed += fmt::format("   {} {} ({})", finding.rule, printable(finding.headline),
                              printable(shortPlace(capture, stack)));
    }
    if (count == 0) return "  no problems found\n";
    if (count > kProblemsShown) listed += fmt::format("   and {} more", count - kProblemsShown);
    return fmt::format("  {:<10}{}\n", model::countOf(static_cast<std::int64_t>(count), "problem"), listed);
}

}  // namespace

std::string summaryText(const model::Capture& capture, const std::vector<Finding>& findings) {
    std::string text = peakLine(capture) + endLine(capture, findings) + problemsLine(capture, findings);
    for (const std::string& ending : endingsTold(capture))
        text += fmt::format("  {}\n", ending);
    return text;
}

}  // namespace vramscope::report
