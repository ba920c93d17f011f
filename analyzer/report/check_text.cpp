// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/check_text.h"

#include <fmt/format.h>

#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"
#include "analyzer/report/finding_link.h"

namespace vramscope::report {
namespace {

std::string word(Verdict verdict, const Style& style) {
    switch (verdict) {
        case Verdict::Fails:
            return style.bad("FAIL ");
        case Verdict::Known:
            return style.quiet("known");
        case Verdict::Warns:
            return style.warning("warn ");
        case Verdict::Note:
            return style.quiet("note ");
    }
    return "";
}

std::string findingLine(const model::Capture& capture, const JudgedFinding& judged, const Style& style) {
    const detectors::Finding& finding = *judged.finding;
    std::string headline = finding.headline;
    // What a library keeps is told as a sum; of faults the first stands for the others.
    if (finding.parts > 1 && isProblem(finding.findingClass))
        headline += fmt::format(", and {} more like it", finding.parts - 1);
    else if (finding.parts > 1)
        headline = fmt::format("{} in all", finding.bytes > 0 ? model::bytesText(finding.bytes)
                                                              : model::countText(finding.count));
    const bool hasStack = !finding.stacks.empty() && !finding.stacks.front().stack.isNone();
    const std::string place = hasStack ? shortPlace(capture, finding.stacks.front().stack) : std::string("-");
    return fmt::format("  {} {:<26} {:<28}  {:<36}  {}\n", word(judged.verdict, style), finding.rule,
                       printable(headline), printable(cut(place, 60)), judged.reason);
}

/// What is not there, and what that means for the verdict.
std::string gapLines(const model::Capture& capture, const GateResult& result) {
    if (capture.processes.empty())
        return "  Nothing was recorded: no process of this job used CUDA, or none could be recorded.\n";
    if (result.gaps.empty() && result.missingRecords.empty()) return "";
    std::string text;
    if (result.isUndecided()) {
        text = "  Nothing failed, but this capture cannot show that nothing is wrong:\n";
    } else if (result.fails()) {
        text = "  What failed is sure. More may be wrong, since this is missing:\n";
    } else {
        text = "  Something is missing, but nothing that these rules need:\n";
    }
    const bool isAboutFindings = result.isUndecided() && result.missingRecords != result.gaps;
    if (isAboutFindings) {
        for (const std::string& missing : result.missingRecords)
            text += fmt::format("    {}\n", printable(missing));
    }
    for (const std::string& gap : result.gaps)
        text += fmt::format("    {}\n", printable(gap));
    return text;
}

std::string headLine(const model::Capture& capture, const GateResult& result) {
    const auto failing =
        result.countOf(Verdict::Fails) + static_cast<std::int64_t>(result.brokenLimits.size());
    return fmt::format("{}: {} {}, {} known, {}, {}\n", printable(capture.path.filename().string()),
                       model::countOf(failing, "finding"), failing == 1 ? "fails" : "fail",
                       result.countOf(Verdict::Known),
                       model::countOf(result.countOf(Verdict::Warns), "warning"),
                       model::countOf(result.countOf(Verdict::Note), "note"));
}

}  // namespace

std::string checkText(const model::Capture& capture, const GateResult& result, const Style& style,
                      bool showsNotes, bool hasViewer) {
    std::string text = headLine(capture, result);
    for (const std::string& limit : result.brokenLimits) {
        text += fmt::format("  {} {:<26}  {}\n", word(Verdict::Fails, style), "budget.peak", limit);
    }
    for (const JudgedFinding& judged : result.findings) {
        if (judged.verdict == Verdict::Note && !showsNotes) continue;
        text += findingLine(capture, judged, style);
        if (hasViewer)
            text += style.quiet("        see   " + openCommand(capture.path, *judged.finding)) + "\n";
    }
    if (result.allowed) text += fmt::format("  sharing {}\n", printable(result.allowed->text()));
    return text + gapLines(capture, result);
}

}  // namespace vramscope::report
