// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/graph_memory.h"
#include "analyzer/detectors/growth_curve.h"
#include "analyzer/detectors/held_groups.h"
#include "analyzer/detectors/step_clock.h"
#include "analyzer/model/activity_clock.h"
#include "analyzer/model/units.h"

/// leak.growth: blocks of one stack that pile up until the run ends. docs/rules/leak.growth.md tells the
/// rule.
namespace vramscope::detectors {
namespace {

using model::Buffer;
using model::Capture;

/// With fewer marked steps the job's own activity is the better clock.
constexpr std::int64_t kFewestSteps = 8;
/// What a small program may still do after its loop (copy results back, check them) without the loop counting
/// as over.
constexpr std::int64_t kShortTailEvents = 16;

/// Everything about one process that its groups are judged by.
struct ProcessView {
    model::ActivityClock activity;
    StepClock steps;
    std::vector<std::int64_t> turnsNs;  // launches, synchronisations and frees, in order
    bool usesAreKnown;

    bool hasSteps() const { return steps.count() >= kFewestSteps; }
    /// The program got the block's memory back before its work was over: freed, or its context destroyed in
    /// mid-run. A context that goes when the work is done gives nothing back that the program could still
    /// use.
    bool cameBack(const Buffer& b) const {
        if (b.wasFreed()) return true;
        return b.endKind == model::EndKind::ContextDestroyed && activity.at(b.freeNs) < activity.end();
    }
};

bool canSeeUses(const Capture& capture, model::ProcessId process) {
    if (!capture.activityIsWhole || capture.fact("record_mode") == "allocs") return false;
    // A graph's launches do not name the buffers that its nodes use: the nodes must be known.
    return capture.graphs.usesAreKnown.contains(process) ||
           std::none_of(capture.objects.begin(), capture.objects.end(), [&](const model::Object& o) {
               return o.processId == process && o.kind == "graph-exec";
           });
}

ProcessView viewOf(const Capture& capture, model::ProcessId process) {
    ProcessView view{model::ActivityClock(capture, process),
                     StepClock(capture, process),
                     {},
                     canSeeUses(capture, process)};
    if (const auto at = capture.activity.find(process); at != capture.activity.end()) {
        view.turnsNs = at->second.turnNs;
    }
    for (const Buffer& b : capture.buffers) {
        if (b.processId == process && b.wasFreed()) view.turnsNs.push_back(b.freeNs);
    }
    std::sort(view.turnsNs.begin(), view.turnsNs.end());
    return view;
}

bool canGrow(const Buffer& b) {
    return b.kind == model::BufferKind::Device || b.kind == model::BufferKind::Async ||
           b.kind == model::BufferKind::Managed || b.kind == model::BufferKind::Array ||
           b.kind == model::BufferKind::Graph || model::isPinnedHostMemory(b.kind);
}

std::vector<const Buffer*> keptOf(const StackGroup& group, const ProcessView& view) {
    std::vector<const Buffer*> kept;
    for (const Buffer* b : group.buffers) {
        if (!view.cameBack(*b)) kept.push_back(b);
    }
    return kept;
}

GrowthCurve curveOf(const StackGroup& group, const std::vector<const Buffer*>& kept,
                    const ProcessView& view) {
    const auto position = [&](std::int64_t timeNs) {
        return view.hasSteps() ? view.steps.at(timeNs) : view.activity.at(timeNs);
    };
    struct Moment {
        std::int64_t timeNs;
        int step;
    };
    std::vector<Moment> moments;
    for (const Buffer* b : group.buffers) {
        moments.push_back({b->allocNs, 1});
        if (view.cameBack(*b)) moments.push_back({b->freeNs, -1});
    }
    std::sort(moments.begin(), moments.end(), [](const Moment& a, const Moment& b) {
        return a.timeNs != b.timeNs ? a.timeNs < b.timeNs : a.step < b.step;
    });
    GrowthCurve curve;
    for (const Moment& moment : moments)
        curve.changes.push_back({position(moment.timeNs), moment.step});
    for (const Buffer* b : kept)
        curve.keptAt.push_back(position(b->allocNs));
    curve.endPosition = view.hasSteps() ? view.steps.count() : view.activity.end();
    curve.shortestQuietTail = view.hasSteps() ? 1 : kShortTailEvents;
    return curve;
}

/// In a loop something else happens between two blocks: work is launched, waited for, or another block is
/// freed. Where blocks follow each other with nothing but filling between them, a program is setting itself
/// up.
bool comesFromALoop(const std::vector<const Buffer*>& kept, const ProcessView& view) {
    std::size_t turns = 0;
    for (std::size_t i = 1; i < kept.size(); ++i) {
        const auto next = std::upper_bound(view.turnsNs.begin(), view.turnsNs.end(), kept[i - 1]->allocNs);
        const bool isNewStep =
            view.hasSteps() && view.steps.at(kept[i - 1]->allocNs) < view.steps.at(kept[i]->allocNs);
        if (isNewStep || (next != view.turnsNs.end() && *next < kept[i]->allocNs)) ++turns;
    }
    // A turn may keep many blocks, so it is the turns that are counted and not the pauses without one.
    return static_cast<std::int64_t>(turns) + 1 >= kFewestKept;
}

/// True when most of the blocks were named again after the one after next was made: something reads them.
bool areUsedLater(const Capture& capture, const std::vector<const Buffer*>& kept) {
    const std::size_t judged = kept.size() - 2;
    std::size_t used = 0;
    for (std::size_t i = 0; i < judged; ++i) {
        const auto at = capture.lastUseNs.find(kept[i]->id.value);
        if (at != capture.lastUseNs.end() && at->second > kept[i + 2]->allocNs) ++used;
    }
    return used * 2 >= judged;
}

void tellAmount(const StackGroup& group, const ProcessView& view, const std::vector<const Buffer*>& kept,
                Finding& finding) {
    const std::int64_t each = finding.bytes / finding.count;
    const std::string total =
        fmt::format("{}, {}", model::countOf(finding.count, "buffer"), model::bytesText(finding.bytes));
    if (view.hasSteps()) {
        const std::int64_t first = view.steps.at(kept.front()->allocNs);
        const std::int64_t last = view.steps.at(kept.back()->allocNs);
        const std::string rate =
            model::bytesText(finding.bytes / std::max<std::int64_t>(last - first + 1, 1));
        finding.headline = fmt::format("+{} a step", rate);
        finding.sentence = fmt::format("{} a step, from step {} to {}: {} stay, and more come until the end.",
                                       rate, first, last, total);
    } else {
        finding.headline =
            fmt::format("+{} each time, {} times", model::bytesText(each), model::countText(finding.count));
        finding.sentence = fmt::format("{} each time: {} stay, and more come until the end of the run.",
                                       model::bytesText(each), total);
    }
    const auto freed = static_cast<std::int64_t>(group.buffers.size() - kept.size());
    finding.evidence.push_back(
        fmt::format("This stack allocated {}; {} freed.",
                    model::countOf(static_cast<std::int64_t>(group.buffers.size()), "buffer"),
                    freed == 0   ? "none was"
                    : freed == 1 ? "one was"
                                 : fmt::format("{} were", model::countText(freed))));
    finding.evidence.push_back(fmt::format("The first that stayed came at {}, the last at {}.",
                                           model::momentText(kept.front()->allocNs),
                                           model::momentText(kept.back()->allocNs)));
}

std::optional<Finding> judge(const Evidence& evidence, const StackGroup& group, const ProcessView& view) {
    const Capture& capture = evidence.capture;
    StackGroup left{group.processId, group.stackId, keptOf(group, view)};
    if (static_cast<std::int64_t>(left.buffers.size()) < kFewestKept) return std::nullopt;
    if (!keepsGrowing(curveOf(group, left.buffers, view)) || !comesFromALoop(left.buffers, view)) {
        return std::nullopt;
    }
    if (areUsedLater(capture, left.buffers)) return std::nullopt;

    Finding finding;
    finding.rule = "leak.growth";
    finding.findingClass = FindingClass::Growing;
    finding.confidence =
        view.usesAreKnown || view.hasSteps() ? evidence.fromAllocations() : Confidence::Possible;
    describeGroup(capture, left, finding);
    tellAmount(group, view, left.buffers, finding);
    finding.evidence.push_back(fmt::format("They are {}.", whatTheyAre(capture, left)));
    tellGraphs(capture, left, finding);
    if (view.usesAreKnown) {
        finding.evidence.emplace_back("No call named one of them after the one after next was made.");
    }
    finding.wouldProveWrong =
        "It would not be a leak if something read them later, or if a longer run gave them back.";
    if (finding.confidence == Confidence::Possible) {
        finding.wouldMakeSure = "A run without lost records and with --record=all would make it sure.";
    }
    return finding;
}

}  // namespace

std::vector<Finding> findLeakGrowth(const Evidence& evidence) {
    std::map<model::ProcessId, ProcessView> views;
    std::vector<Finding> findings;
    for (const StackGroup& group : groupByStack(evidence.capture, canGrow)) {
        if (static_cast<std::int64_t>(group.buffers.size()) < kFewestKept) continue;
        auto view = views.find(group.processId);
        if (view == views.end()) {
            view = views.emplace(group.processId, viewOf(evidence.capture, group.processId)).first;
        }
        if (auto finding = judge(evidence, group, view->second)) findings.push_back(std::move(*finding));
    }
    return findings;
}

}  // namespace vramscope::detectors
