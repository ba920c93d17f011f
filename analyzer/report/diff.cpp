// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/diff.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analyzer/detectors/detector.h"
#include "analyzer/model/completeness.h"
#include "analyzer/model/live_timeline.h"
#include "analyzer/model/units.h"
#include "analyzer/report/style.h"

namespace vramscope::report {
namespace {

using Amount = Difference::Amount;
using detectors::Finding;
using model::Capture;
using model::SplitBy;

std::vector<Amount> changesAtPeak(const Capture& before, const Capture& after, SplitBy split) {
    std::map<std::string, Amount> amounts;
    for (const model::Share& share : liveShares(before, model::LiveTimeline(before).peak().timeNs, split)) {
        amounts[share.label].beforeBytes += share.bytes;
    }
    for (const model::Share& share : liveShares(after, model::LiveTimeline(after).peak().timeNs, split)) {
        amounts[share.label].afterBytes += share.bytes;
    }
    std::vector<Amount> changed;
    for (auto& [label, amount] : amounts) {
        amount.label = label;
        if (amount.change() != 0) changed.push_back(amount);
    }
    std::stable_sort(changed.begin(), changed.end(), [](const Amount& a, const Amount& b) {
        return std::abs(a.change()) > std::abs(b.change());
    });
    return changed;
}

/// The problems of `findings` that `others` lack.
std::vector<Finding> missingFrom(const std::vector<Finding>& others, const std::vector<Finding>& findings) {
    std::set<std::string> known;
    for (const Finding& finding : others)
        known.insert(finding.fingerprint);
    std::vector<Finding> missing;
    for (const Finding& finding : findings) {
        if (isProblem(finding.findingClass) && !known.contains(finding.fingerprint))
            missing.push_back(finding);
    }
    return missing;
}

std::string changeText(std::int64_t change) {
    return change < 0 ? model::bytesText(change) : fmt::format("+{}", model::bytesText(change));
}

std::string amountLine(const Amount& amount) {
    return fmt::format("  {:<14} {:>10} -> {:>10}   {}\n", amount.label, model::bytesText(amount.beforeBytes),
                       model::bytesText(amount.afterBytes), changeText(amount.change()));
}

std::string listText(std::string_view heading, const std::vector<Amount>& amounts, std::size_t top) {
    if (amounts.empty()) return "";
    std::string text = fmt::format("\n{}\n", heading);
    for (std::size_t i = 0; i < std::min(amounts.size(), top); ++i) {
        text += fmt::format("  {:>11}   {:>10} -> {:>10}   {}\n", changeText(amounts[i].change()),
                            model::bytesText(amounts[i].beforeBytes), model::bytesText(amounts[i].afterBytes),
                            printable(cut(amounts[i].label, 60)));
    }
    if (amounts.size() > top)
        text += fmt::format("  {} more; --top {} shows them.\n", amounts.size() - top, amounts.size());
    return text;
}

std::string findingsText(std::string_view heading, const std::vector<Finding>& findings) {
    if (findings.empty()) return "";
    std::string text = fmt::format("\n{}\n", heading);
    for (const Finding& finding : findings) {
        text += wrapped(fmt::format("  {:<26} ", finding.rule), printable(finding.sentence));
    }
    return text;
}

nlohmann::ordered_json amountsJson(const std::vector<Amount>& amounts) {
    auto list = nlohmann::ordered_json::array();
    for (const Amount& a : amounts) {
        list.push_back({{"label", a.label}, {"before_bytes", a.beforeBytes}, {"after_bytes", a.afterBytes}});
    }
    return list;
}

nlohmann::ordered_json findingsJson(const std::vector<Finding>& findings) {
    auto list = nlohmann::ordered_json::array();
    for (const Finding& f : findings) {
        list.push_back(
            {{"rule", f.rule}, {"sentence", f.sentence}, {"fingerprint", f.fingerprint}, {"bytes", f.bytes}});
    }
    return list;
}

void addGaps(const Capture& capture, const std::string& capturesName, Difference& difference) {
    for (const std::string& gap : completenessOf(capture).gaps)
        difference.gaps.push_back(fmt::format("{}: {}", capturesName, gap));
}

}  // namespace

bool Difference::isEmpty() const {
    return peak.change() == 0 && end.change() == 0 && peakByLibrary.empty() && peakByStack.empty() &&
           newFindings.empty() && goneFindings.empty();
}

Difference differenceOf(const Capture& before, const Capture& after) {
    Difference difference;
    difference.beforeName = before.path.filename().string();
    difference.afterName = after.path.filename().string();
    difference.peak = {"peak", model::LiveTimeline(before).peak().liveBytes,
                       model::LiveTimeline(after).peak().liveBytes};
    difference.end = {"live at end", totalBytes(sharesHeldAtEnd(before, SplitBy::Kind)),
                      totalBytes(sharesHeldAtEnd(after, SplitBy::Kind))};
    difference.peakByLibrary = changesAtPeak(before, after, SplitBy::Library);
    difference.peakByStack = changesAtPeak(before, after, SplitBy::Stack);
    const std::vector<Finding> findingsBefore = detectors::detectAll(before);
    const std::vector<Finding> findingsAfter = detectors::detectAll(after);
    difference.newFindings = missingFrom(findingsBefore, findingsAfter);
    difference.goneFindings = missingFrom(findingsAfter, findingsBefore);
    addGaps(before, difference.beforeName, difference);
    addGaps(after, difference.afterName, difference);
    return difference;
}

std::string diffText(const Difference& difference, std::size_t top) {
    std::string text = printable(fmt::format("{} -> {}", difference.beforeName, difference.afterName)) + "\n";
    text += amountLine(difference.peak) + amountLine(difference.end);
    text += findingsText("NEW PROBLEMS", difference.newFindings);
    text += findingsText("PROBLEMS THAT ARE GONE", difference.goneFindings);
    text += listText("AT THE PEAK, BY LIBRARY", difference.peakByLibrary, top);
    text += listText("AT THE PEAK, BY STACK", difference.peakByStack, top);
    if (difference.isEmpty())
        text += fmt::format("  nothing changed{}\n", difference.gaps.empty() ? "" : " in what was recorded");
    if (!difference.gaps.empty()) text += "\nWHAT IS MISSING\n";
    for (const std::string& gap : difference.gaps)
        text += wrapped("  ", printable(gap));
    return text;
}

nlohmann::ordered_json diffJson(const Difference& difference) {
    const auto amount = [](const Amount& a) {
        return nlohmann::ordered_json{{"before_bytes", a.beforeBytes}, {"after_bytes", a.afterBytes}};
    };
    return {{"schema", "vramscope/diff/1"},
            {"before", difference.beforeName},
            {"after", difference.afterName},
            {"peak", amount(difference.peak)},
            {"live_at_end", amount(difference.end)},
            {"new_findings", findingsJson(difference.newFindings)},
            {"gone_findings", findingsJson(difference.goneFindings)},
            {"gaps", difference.gaps},
            {"peak_by_library", amountsJson(difference.peakByLibrary)},
            {"peak_by_stack", amountsJson(difference.peakByStack)}};
}

}  // namespace vramscope::report
