// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/check_text.h"

#include <fmt/format.h>

#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"

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
    const std::string headline =
        finding.parts > 1 ? fmt::format("{}, and {} more like it", finding.headline, finding.parts - 1)
                          : finding.headline;
    const bool hasStack = !finding.stacks.empty() && !finding.stacks.front().stack.isNone();
    const std::string place = hasStack ? shortPlace(capture, finding.stacks.front().stack) : std::string("-");
    return fmt::format("  {} {:<26}  {:<28}  {:<32}  {}\n", word(judged.verdict, style), finding.rule,
                       printable(headline), printable(place), judged.reason);
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
                      bool showsNotes) {
    std::string text = headLine(capture, result);
    for (const std::string& limit : result.brokenLimits) {
        text += fmt::format("  {} {:<26}  {}\n", word(Verdict::Fails, style), "budget.peak", limit);
    }
    for (const JudgedFinding& judged : result.findings) {
        if (judged.verdict != Verdict::Note || showsNotes) text += findingLine(capture, judged, style);
    }
    if (result.isUndecided())
        text += "  Nothing failed, but this capture cannot show that nothing is wrong:\n";
    for (const std::string& gap : result.missingRecords)
        text += fmt::format("    {}\n", printable(gap));
    return text;
}

}  // namespace vramscope::report
