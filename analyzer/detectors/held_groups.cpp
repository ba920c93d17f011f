// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/held_groups.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "analyzer/detectors/held_class.h"

namespace vramscope::detectors {

std::int64_t StackGroup::bytes() const {
    std::int64_t total = 0;
    for (const model::Buffer* b : buffers)
        total = model::addClamped(total, b->sizeBytes);
    return total;
}

std::vector<StackGroup> groupByStack(const model::Capture& capture,
                                     const std::function<bool(const model::Buffer&)>& wants) {
    using Key = std::tuple<std::int64_t, std::int64_t, int, std::int64_t>;
    std::map<Key, StackGroup> groups;
    for (const model::Buffer& b : capture.buffers) {
        if (!wants(b)) continue;
        const bool hasStack = !b.allocStackId.isNone();
        const Key key{b.processId.value, b.allocStackId.value, hasStack ? 0 : static_cast<int>(b.kind),
                      hasStack ? 0 : b.sizeBytes};
        StackGroup& group = groups[key];
        group.processId = b.processId;
        group.stackId = b.allocStackId;
        group.buffers.push_back(&b);
    }
    std::vector<StackGroup> sorted;
    for (auto& [key, group] : groups) {
        std::stable_sort(group.buffers.begin(), group.buffers.end(),
                         [](const auto* a, const auto* b) { return a->allocNs < b->allocNs; });
        sorted.push_back(std::move(group));
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const StackGroup& a, const StackGroup& b) {
        return a.buffers.front()->allocNs < b.buffers.front()->allocNs;
    });
    return sorted;
}

std::vector<StackGroup> groupsLeftAtExit(const Evidence& evidence,
                                         const std::function<bool(const model::Buffer&)>& wants) {
    const auto told = buffersAlreadyTold(evidence.earlier);
    return groupByStack(evidence.capture, [&](const model::Buffer& b) {
        return b.isHeldAtEnd() && wants(b) && !told.contains(b.id.value) &&
               mayHaveEndedByItself(evidence.capture, b.processId);
    });
}

std::unordered_set<std::int64_t> buffersAlreadyTold(const std::vector<Finding>& earlier) {
    std::unordered_set<std::int64_t> told;
    for (const Finding& finding : earlier) {
        for (model::BufferId buffer : finding.buffers)
            told.insert(buffer.value);
    }
    return told;
}

std::string whatTheyAre(const model::Capture& capture, const StackGroup& group) {
    const model::Buffer& first = *group.buffers.front();
    const bool oneKind = std::all_of(group.buffers.begin(), group.buffers.end(),
                                     [&](const auto* b) { return b->kind == first.kind; });
    const bool oneOwner = std::all_of(group.buffers.begin(), group.buffers.end(),
                                      [&](const auto* b) { return b->taskId == first.taskId; });
    std::string text(oneKind ? model::description(first.kind) : "several kinds of memory");
    if (oneOwner && !first.taskId.isNone()) {
        text += fmt::format(", owner {}", capture.taskName(first.taskId));
    }
    return text;
}

void describeGroup(const model::Capture& capture, const StackGroup& group, Finding& finding) {
    finding.processes = {group.processId};
    finding.stacks.insert(finding.stacks.begin(), {"allocated", group.stackId});
    for (const model::Buffer* b : group.buffers)
        finding.buffers.push_back(b->id);
    finding.bytes = group.bytes();
    finding.count = static_cast<std::int64_t>(group.buffers.size());
    finding.largestStackCount = finding.count;
    const model::Buffer& first = *group.buffers.front();
    const std::string detail =
        group.stackId.isNone() ? fmt::format("{} {}", formats::bufferKindName(first.kind), first.sizeBytes)
                               : std::string();
    finding.fingerprint = fingerprintOf(capture, finding.rule, group.stackId, detail);
}

}  // namespace vramscope::detectors
