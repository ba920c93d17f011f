// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"
#include "analyzer/report/report_text.h"

namespace vramscope::report {
namespace {

using detectors::Finding;

constexpr std::size_t kFramesShown = 6;
constexpr std::size_t kWidestFunction = 44;

/// What the proof is about: growth is proven to have happened, never that nobody needs it.
std::string sureness(const Finding& finding) {
    if (finding.confidence == detectors::Confidence::Possible) return "possible";
    switch (finding.findingClass) {
        case detectors::FindingClass::Growing:
            return "proven that it grew";
        case detectors::FindingClass::Leak:
            return "proven that it stayed";
        default:
            return "proven";
    }
}

std::string stackLines(const model::Capture& capture, const detectors::LabelledStack& stack) {
    std::string text = fmt::format("        {}\n", stack.label);
    const std::vector<model::FrameText> frames = readableFrames(capture, stack.stack, kFramesShown);
    if (frames.empty()) return fmt::format("        {} at a place that was not recorded\n", stack.label);
    std::size_t width = 0;
    for (const model::FrameText& frame : frames) {
        width = std::max(width, std::min(frame.function.size(), kWidestFunction));
    }
    for (const model::FrameText& frame : frames) {
        text += fmt::format("          {}  {}\n", printable(fmt::format("{:<{}}", frame.function, width)),
                            printable(frame.place));
    }
    return text;
}

std::string problemText(const model::Capture& capture, const Finding& finding, std::size_t number,
                        const Style& style) {
    const std::string title = fmt::format("  F{:<2} {}", number, finding.rule);
    const std::string line = spread(title, sureness(finding));
    std::string text = fmt::format("{}{}\n", style.bad(title), line.substr(title.size()));
    text += fmt::format("      {}\n", printable(finding.sentence));
    for (const std::string& fact : finding.evidence)
        text += fmt::format("      {}\n", printable(fact));
    if (finding.parts > 1) {
        text += fmt::format(
            "      It shows itself {} times in {}: {} in all, {}.\n", finding.parts,
            model::countOf(static_cast<std::int64_t>(finding.processes.size()), "process", "processes"),
            model::countText(finding.count), model::bytesText(finding.bytes));
    }
    for (const detectors::LabelledStack& stack : finding.stacks)
        text += stackLines(capture, stack);
    text += fmt::format("      {}\n", finding.wouldProveWrong);
    if (!finding.wouldMakeSure.empty()) text += fmt::format("      {}\n", finding.wouldMakeSure);
    text += style.quiet(fmt::format("      see   vramscope open {} --goto finding:{}",
                                    printable(capture.path.string()), finding.fingerprint));
    return text + "\n\n";
}

}  // namespace

std::string problemsSection(const model::Capture& capture, const std::vector<Finding>& findings,
                            const ReportOptions& options) {
    std::string text;
    std::size_t number = 0;
    std::size_t hidden = 0;
    for (const Finding& finding : findings) {
        if (!isProblem(finding.findingClass)) continue;
        ++number;
        if (number <= options.top)
            text += problemText(capture, finding, number, options.style);
        else
            ++hidden;
    }
    if (number == 0) return fmt::format("\n{}\n\n", options.style.heading("NO PROBLEMS FOUND"));
    if (hidden > 0) text += fmt::format("  {} more; --top {} shows them.\n\n", hidden, number);
    return fmt::format("\n{}\n\n{}", options.style.heading("PROBLEMS"), text);
}

std::string keptSection(const model::Capture& capture, const std::vector<Finding>& findings,
                        const ReportOptions& options) {
    std::string text;
    std::size_t count = 0;
    for (const Finding& finding : findings) {
        if (isProblem(finding.findingClass)) continue;
        if (++count > options.top) continue;
        const bool isFolded = finding.parts > 1;
        const std::string headline = !isFolded ? finding.headline
                                     : finding.bytes > 0
                                         ? model::bytesText(finding.bytes)
                                         : fmt::format("{} in all", model::countText(finding.count));
        const std::string sentence =
            isFolded ? fmt::format("{} from {} places: {}", model::countText(finding.count), finding.parts,
                                   finding.evidence.empty() ? finding.sentence : finding.evidence.back())
                     : finding.sentence;
        text += fmt::format("  {:<18}  {:<22}  {}\n", name(finding.findingClass), printable(headline),
                            printable(sentence));
        const bool hasPlace = !finding.stacks.empty() && !finding.stacks.front().stack.isNone();
        if (hasPlace) {
            text += fmt::format("  {:<18}  {:<22}  {}\n", "", "",
                                printable(shortPlace(capture, finding.stacks.front().stack)));
        }
    }
    if (text.empty()) return "";
    if (count > options.top)
        text += fmt::format("  {} more; --top {} shows them.\n", count - options.top, count);
    return fmt::format("{}\n\n{}\n", options.style.heading("WORTH KNOWING, NO PROBLEM"), text);
}

}  // namespace vramscope::report
