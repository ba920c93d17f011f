// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/endings.h"

#include <algorithm>
#include <fmt/format.h>

#include "analyzer/model/job_ending.h"
#include "analyzer/model/units.h"

namespace vramscope::detectors {
namespace {

struct Ending {
    model::ProcessId process;
    model::BadEnding how;
};

std::optional<Ending> nextEnding(const model::Capture& capture, const Finding& finding, std::int64_t timeNs) {
    std::optional<Ending> next;
    for (const model::ProcessId process : finding.processes) {
        const auto how = model::badEndingOf(capture, process);
        if (how && how->timeNs >= timeNs && (!next || how->timeNs < next->how.timeNs))
            next = Ending{process, *how};
    }
    return next;
}

/// "3.2 s and 1,240 launches".
std::string distanceText(const model::Capture& capture, model::ProcessId process, std::int64_t fromNs,
                         std::int64_t toNs) {
    const std::string time = model::durationText(toNs - fromNs);
    const auto activity = capture.activity.find(process);
    if (!capture.activityIsWhole || activity == capture.activity.end()) return time;
    const std::vector<std::int64_t>& launches = activity->second.launchNs;
    const auto first = std::upper_bound(launches.begin(), launches.end(), fromNs);
    const auto count = std::lower_bound(first, launches.end(), toNs) - first;
    return fmt::format("{} and {}", time, model::countOf(count, "launch", "launches"));
}

}  // namespace

void tellEndings(const model::Capture& capture, std::vector<Finding>& findings) {
    for (Finding& finding : findings) {
        if (finding.findingClass != FindingClass::Corruption || finding.moments.empty()) continue;
        const std::int64_t timeNs = finding.moments.back().timeNs;
        const std::optional<Ending> ending = nextEnding(capture, finding, timeNs);
        if (!ending) continue;
        const std::string distance = distanceText(capture, ending->process, timeNs, ending->how.timeNs);
        finding.ending = DatedFact{ending->how.timeNs, ending->how.text, {}};
        finding.evidence.push_back(fmt::format("That was {} before {}.", distance, ending->how.text));
    }
}

}  // namespace vramscope::detectors
