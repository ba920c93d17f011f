// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "analyzer/model/completeness.h"
#include "analyzer/model/device_fault.h"
#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"
#include "analyzer/report/finding_link.h"
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
    const std::vector<model::FrameText> frames = toldFrames(capture, stack.stack, kFramesShown);
    if (frames.empty()) return fmt::format("        {} at a place that was not recorded\n", stack.label);
    std::string text = fmt::format("        {}\n", stack.label);
    std::size_t width = 0;
    for (const model::FrameText& frame : frames) {
        width = std::max(width, std::min(frame.function.size(), kWidestFunction));
    }
    for (const model::FrameText& frame : frames) {
        std::string line =
            fmt::format("          {:<{}}  {}", printable(cut(frame.function, kWidestFunction)), width,
                        printable(frame.place));
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string problemText(const model::Capture& capture, const Finding& finding, std::size_t number,
                        const ReportOptions& options) {
    constexpr std::string_view kIndent = "      ";
    const std::string title = fmt::format("  F{:<2} {}", number, finding.rule);
    const std::string line =
        spread(title, fmt::format("class {}, {}", name(finding.findingClass), sureness(finding)));
    std::string text = fmt::format("{}{}\n", options.style.bad(title), line.substr(title.size()));
    text += wrapped(kIndent, printable(finding.sentence));
    for (const std::string& fact : finding.evidence)
        text += wrapped(kIndent, printable(fact));
    if (finding.parts > 1) {
        text += fmt::format(
            "      It shows itself {} times in {}: {} in all, {}.\n", finding.parts,
            model::countOf(static_cast<std::int64_t>(finding.processes.size()), "process", "processes"),
            model::countText(finding.count), model::bytesText(finding.bytes));
    }
    for (const detectors::LabelledStack& stack : finding.stacks)
        text += stackLines(capture, stack);
    text += wrapped(kIndent, finding.wouldProveWrong);
    if (!finding.wouldMakeSure.empty()) text += wrapped(kIndent, finding.wouldMakeSure);
    const std::string link = options.hasViewer ? fmt::format("see   {}", openCommand(capture.path, finding))
                                               : fmt::format("id    {}", finding.fingerprint);
    return text + options.style.quiet("      " + link) + "\n\n";
}

/// The call that was told first of a kernel or copy that failed on the device; empty when none was.
std::string deviceFaultText(const model::Capture& capture, const ReportOptions& options) {
    constexpr std::string_view kIndent = "      ";
    const model::FailedCall* fault = model::firstDeviceFault(capture);
    if (fault == nullptr) return "";
    std::string text = options.style.bad("  !   device fault") + "\n";
    text += wrapped(
        kIndent, printable(fmt::format("The first error of the job: {} gave {} ({}) at {}.", fault->api,
                                       fault->errorName, fault->error, model::momentText(fault->enterNs))));
    text += wrapped(
        kIndent,
        "Work that was given to the device before had failed by then, and every call in its context fails "
        "since. The call that was told need not be the one that caused it.");
    text += stackLines(capture, {"told to", fault->stackId});
    return text +
           wrapped(kIndent, "A run with CUDA_LAUNCH_BLOCKING=1 would tell the launch that caused it.") + "\n";
}

/// What "no problems" is worth.
std::string caveatText(const model::Completeness& completeness, bool hasProblems) {
    std::string text = wrapped(
        "  ", hasProblems ? "Not everything was recorded, so there may be more:"
                          : "But not everything was recorded, so this does not say that there is none:");
    for (const std::string& gap : completeness.gaps)
        text += wrapped("  - ", printable(gap));
    return text + "\n";
}

}  // namespace

std::string problemsSection(const model::Capture& capture, const std::vector<Finding>& findings,
                            const ReportOptions& options) {
    std::string text = deviceFaultText(capture, options);
    std::size_t number = 0;
    std::size_t hidden = 0;
    for (const Finding& finding : findings) {
        if (!isProblem(finding.findingClass)) continue;
        ++number;
        if (number <= options.top)
            text += problemText(capture, finding, number, options);
        else
            ++hidden;
    }
    if (hidden > 0) text += fmt::format("  {} more; --top {} shows them.\n\n", hidden, number);
    const model::Completeness completeness = completenessOf(capture);
    std::string_view heading = "PROBLEMS";
    if (text.empty())
        heading = completeness.isWhole() ? "NO PROBLEMS FOUND" : "NO PROBLEMS FOUND IN WHAT WAS RECORDED";
    const std::string caveat = completeness.isWhole() ? "" : caveatText(completeness, !text.empty());
    const std::string allowed =
        options.allowed ? wrapped("  ", "Sharing " + printable(options.allowed->text()) + ".") + "\n" : "";
    const std::string body = caveat + text + allowed;
    return fmt::format("\n{}\n\n{}", options.style.heading(heading), body);
}

/// What is no problem, in two lines: how much of what, and where it came from.
std::string keptText(const model::Capture& capture, const Finding& finding, const ReportOptions& options) {
    const bool isFolded = finding.parts > 1;
    const std::string amount = finding.bytes > 0 ? model::bytesText(finding.bytes)
                               : isFolded        ? fmt::format("{} in all", model::countText(finding.count))
                                                 : finding.headline;
    const std::string sentence =
        isFolded ? fmt::format("{} from {} places: {}", model::countText(finding.count), finding.parts,
                               finding.because.empty() ? finding.sentence : finding.because)
                 : finding.sentence;
    std::string text = wrapped(fmt::format("  {:<18} {:<11} ", name(finding.findingClass), printable(amount)),
                               printable(sentence));
    const bool hasPlace = !finding.stacks.empty() && !finding.stacks.front().stack.isNone();
    if (hasPlace)
        text += fmt::format("  {:<18} {:<11} {}\n", "", "",
                            printable(cut(shortPlace(capture, finding.stacks.front().stack), 66)));
    if (!options.hasViewer) return text;
    return text +
           options.style.quiet(
               fmt::format("  {:<18} {:<11} {}", "", "", openCommand(capture.path, finding))) +
           "\n";
}

std::string keptSection(const model::Capture& capture, const std::vector<Finding>& findings,
                        const ReportOptions& options) {
    std::string text;
    std::size_t count = 0;
    for (const Finding& finding : findings) {
        if (isProblem(finding.findingClass)) continue;
        if (++count > options.top) continue;
        text += keptText(capture, finding, options);
    }
    if (text.empty()) return "";
    if (count > options.top)
        text += fmt::format("  {} more; --top {} shows them.\n", count - options.top, count);
    return fmt::format("{}\n\n{}\n", options.style.heading("WORTH KNOWING, NO PROBLEM"), text);
}

}  // namespace vramscope::report
