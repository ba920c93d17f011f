// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/held_class.h"
#include "analyzer/model/units.h"

/// sharing.stale-import: a process keeps memory of another mapped that the other has freed. The bytes stay on
/// the device, the exporter's next buffer comes on top, and what the importer reads is nobody's any more.
namespace vramscope::detectors {
namespace {

using model::Buffer;

struct StaleImport {
    const model::IpcImport* import = nullptr;
    const Buffer* mapping = nullptr;   ///< the importer's
    const Buffer* exported = nullptr;  ///< the exporter's, freed
    std::int64_t closeNs = model::kNever;
};

/// Several openings of one handle are one mapping; it ends with the last close.
std::map<model::BufferId, StaleImport> staleImports(const model::Capture& capture) {
    std::map<model::BufferId, StaleImport> stale;
    for (const model::IpcImport& import : capture.ipcImports) {
        const model::IpcHandle* handle = capture.ipcHandles.find(import.handleId);
        const Buffer* mapping = capture.buffers.find(import.bufferId);
        const Buffer* exported = handle ? capture.buffers.find(handle->bufferId) : nullptr;
        // By the handle's bytes only: a guess about whose memory it is proves nothing.
        if (!mapping || !exported || !exported->wasFreed() || import.matchedBy != "bytes") continue;
        const std::int64_t closeNs = std::min(import.closeNs, mapping->freeNs);
        if (exported->freeNs >= closeNs || import.openNs > exported->freeNs) continue;
        StaleImport& one = stale[mapping->id];
        if (!one.import) one = {&import, mapping, exported, closeNs};
        one.closeNs = std::max(one.closeNs, closeNs);
    }
    return stale;
}

/// The exporter went on: the same place allocated again after the free. Otherwise both sides may just be
/// shutting down, in whichever order.
bool exporterWentOn(const model::Capture& capture, const Buffer& freed) {
    return std::any_of(capture.buffers.begin(), capture.buffers.end(), [&](const Buffer& b) {
        return b.processId == freed.processId && b.allocStackId == freed.allocStackId &&
               b.allocNs >= freed.freeNs;
    });
}

using Group = std::vector<StaleImport>;
using GroupKey = std::tuple<model::ProcessId, model::ProcessId, model::StackId>;  // importer, exporter, stack

/// The most that were stale at one time: one that is closed a little late, again and again, is not a pile.
std::int64_t mostAtOnce(const Group& group) {
    std::vector<std::pair<std::int64_t, int>> changes;
    for (const StaleImport& one : group) {
        changes.emplace_back(one.exported->freeNs, 1);
        if (one.closeNs != model::kNever) changes.emplace_back(one.closeNs, -1);
    }
    std::sort(changes.begin(), changes.end());
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const auto& [timeNs, change] : changes)
        most = std::max(most, now += change);
    return most;
}

std::string processText(const model::Capture& capture, model::ProcessId id) {
    const model::Process* process = capture.processes.find(id);
    return process ? fmt::format("pid {}", process->pid) : std::string("another process");
}

HeldClass classOf(const Evidence& evidence, const Group& group, std::int64_t atOnce) {
    const StaleImport& first = group.front();
    const model::Library& library = evidence.libraries.of(first.import->stackId, first.mapping->processId);
    const bool isLibrary =
        library.kind == model::LibraryKind::Framework || library.kind == model::LibraryKind::Compute;
    const bool wentOn = std::any_of(group.begin(), group.end(), [&](const StaleImport& one) {
        return exporterWentOn(evidence.capture, *one.exported);
    });
    if (!wentOn) {
        return {FindingClass::TeardownOrder,
                "The exporter allocated nothing there afterwards, so both may have been shutting down."};
    }
    if (isLibrary && atOnce < 3)
        return {FindingClass::LibraryWorkspace, fmt::format("{} keeps its own mappings.", library.name)};
    if (atOnce == 1)
        return {FindingClass::OneTime, "There was never more than one at a time, so they do not add up."};
    return {FindingClass::Leak, "Several were stale at one time, so more may pile up in a longer run."};
}

Finding describe(const Evidence& evidence, const Group& group) {
    const StaleImport& first = group.front();
    const std::int64_t atOnce = mostAtOnce(group);
    Finding finding;
    finding.rule = "sharing.stale-import";
    HeldClass held = classOf(evidence, group, atOnce);
    finding.findingClass = held.findingClass;
    finding.because = held.because;
    finding.confidence = evidence.fromAllocations();
    finding.count = static_cast<std::int64_t>(group.size());
    finding.largestStackCount = atOnce;
    for (const StaleImport& one : group) {
        finding.bytes = model::addClamped(finding.bytes, one.exported->sizeBytes);
        finding.buffers.push_back(one.mapping->id);
    }
    finding.processes = {first.mapping->processId, first.exported->processId};
    finding.headline =
        fmt::format("{}, {}", model::countOf(finding.count, "mapping"), model::bytesText(finding.bytes));
    finding.sentence = fmt::format("{} keeps {} of memory of {} open that {} has freed.",
                                   processText(evidence.capture, first.mapping->processId), finding.headline,
                                   processText(evidence.capture, first.exported->processId),
                                   processText(evidence.capture, first.exported->processId));
    finding.evidence.push_back(fmt::format("Up to {} were stale at one time; the first since {}.",
                                           model::countText(atOnce),
                                           model::momentText(first.exported->freeNs)));
    finding.evidence.push_back(std::move(held.because));
    finding.evidence.emplace_back(
        "As long as a mapping is open, the freed memory stays on the device, beside what replaced it.");
    finding.stacks.push_back({"opened", first.import->stackId});
    finding.stacks.push_back({"freed by the exporter", first.exported->freeStackId});
    finding.stacks.push_back({"allocated by the exporter", first.exported->allocStackId});
    finding.wouldProveWrong = "It would be no fault if the importer still needs what the exporter gave up.";
    finding.fingerprint = fingerprintOf(evidence.capture, finding.rule, first.import->stackId);
    return finding;
}

}  // namespace

std::vector<Finding> findStaleImports(const Evidence& evidence) {
    std::map<GroupKey, Group> groups;
    for (const auto& [mapping, one] : staleImports(evidence.capture)) {
        groups[{one.mapping->processId, one.exported->processId, one.import->stackId}].push_back(one);
    }
    std::vector<Finding> findings;
    for (auto& [key, group] : groups) {
        std::sort(group.begin(), group.end(), [](const StaleImport& a, const StaleImport& b) {
            return a.exported->freeNs < b.exported->freeNs;
        });
        findings.push_back(describe(evidence, group));
    }
    return findings;
}

}  // namespace vramscope::detectors
