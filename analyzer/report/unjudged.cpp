// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/unjudged.h"

#include <fmt/format.h>

#include "analyzer/detectors/rule_list.h"
#include "analyzer/model/task_timeline.h"

namespace vramscope::report {
namespace {

Unjudged orderNotJudged(const model::Capture& capture) {
    Unjudged unjudged;
    for (const detectors::KnownRule& rule : detectors::kKnownRules) {
        if (detectors::namesRule("ordering", rule.name)) unjudged.rules.push_back(rule.name);
    }
    unjudged.rules.emplace_back("corruption.use-after-free");
    const std::string_view mode = capture.fact("record_mode");
    std::string why;
    if (mode != "all") {
        why = mode == "allocs" || mode == "launches"
                  ? fmt::format("--record={} leaves out waits, which --record=all has.", mode)
                  : std::string("waits were not recorded; --record=all has them.");
        unjudged.isChoice = true;
    } else if (capture.droppedByWindow > 0) {
        why = "--keep let go what came before its window.";
        unjudged.isChoice = true;
    } else {
        why = capture.ordering.whyNot;
    }
    unjudged.sentence = fmt::format("ordering.* and corruption.use-after-free were not judged: {}", why);
    return unjudged;
}

}  // namespace

std::vector<Unjudged> rulesNotJudged(const model::Capture& capture) {
    std::vector<Unjudged> all;
    if (capture.processes.empty()) return all;
    if (!capture.ordering.isJudged) all.push_back(orderNotJudged(capture));
    const bool hasNoWork = capture.fact("record_mode") == "allocs";
    if (hasNoWork && model::TaskTimeline(capture).hasTasks()) {
        all.push_back(
            {{"corruption.overwrite"},
             "corruption.overwrite was not judged: --record=allocs leaves out launches, copies and sets, "
             "which --record=launches has.",
             true});
    }
    return all;
}

}  // namespace vramscope::report
