// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/summary.h"

#include <algorithm>
#include <fmt/format.h>

#include "analyzer/model/breakdown.h"
#include "analyzer/model/completeness.h"
#include "analyzer/model/device_fault.h"
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

/// Device memory that the job held only because it was recorded.
std::string costLine(const model::Capture& capture) {
    // Contexts that follow each other cost it once.
    std::int64_t bytes = 0;
    for (const model::Context& begun : capture.contexts) {
        std::int64_t together = 0;
        for (const model::Context& other : capture.contexts) {
            const bool isThere = other.startNs <= begun.startNs && begun.startNs < other.endNs;
            if (isThere) together = model::addClamped(together, other.collectorBytes);
        }
        bytes = std::max(bytes, together);
    }
    return bytes == 0 ? ""
                      : fmt::format("  our cost     {} of the card, estimated\n", model::bytesText(bytes));
}

/// True when all that is known of the job is why it was not recorded.
bool isBlind(const model::Capture& capture) {
    return !capture.processes.empty() && capture.contexts.empty() && capture.buffers.empty() &&
           std::all_of(capture.processes.begin(), capture.processes.end(),
                       [](const model::Process& process) { return !process.offReason.empty(); });
}

std::string problemsLine(const model::Capture& capture, const std::vector<Finding>& findings) {
    std::string listed;
    std::size_t count = 0;
    if (const model::FailedCall* fault = model::firstDeviceFault(capture)) {
        count = 1;
        listed =
            fmt::format("device fault, told to {}: {} ({})\n", printable(fault->api),
                        printable(fault->errorName), printable(cut(shortPlace(capture, fault->stackId), 60)));
    }
    for (const Finding& finding : findings) {
        if (!isProblem(finding.findingClass)) continue;
        if (++count > kProblemsShown) continue;
        const model::StackId stack = finding.stacks.empty() ? model::StackId() : finding.stacks.front().stack;
        listed += fmt::format("{}{} {} ({})\n", listed.empty() ? "" : std::string(15, ' '), finding.rule,
                              printable(finding.headline), printable(cut(shortPlace(capture, stack), 60)));
    }
    const std::string caveat = printable(completenessOf(capture).caveat());
    if (count == 0 && isBlind(capture)) return "  nothing was recorded, so nothing can be said\n";
    if (count == 0) return fmt::format("  no problems found{}\n", caveat);
    if (count > kProblemsShown) listed += fmt::format("{:15}and {} more\n", "", count - kProblemsShown);
    std::string text =
        fmt::format("  {:<12} {}", model::countOf(static_cast<std::int64_t>(count), "problem"), listed);
    return caveat.empty() ? text : text + fmt::format("  found       {}\n", caveat);
}

}  // namespace

std::string summaryText(const model::Capture& capture, const std::vector<Finding>& findings) {
    std::string text =
        peakLine(capture) + endLine(capture, findings) + problemsLine(capture, findings) + costLine(capture);
    for (const std::string& ending : endingsTold(capture))
        text += fmt::format("  {}\n", ending);
    return text;
}

}  // namespace vramscope::report
