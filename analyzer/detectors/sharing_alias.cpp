// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

#include "analyzer/detectors/detector.h"
#include "analyzer/model/buffer_name.h"
#include "analyzer/model/ownership.h"
#include "analyzer/model/pooled_buffers.h"
#include "analyzer/model/shared_memory.h"
#include "analyzer/model/units.h"

/// sharing.alias: two tasks hold one piece of memory, and neither gave or lent it to the other.
namespace vramscope::detectors {
namespace {

using model::Buffer;
using model::SubBuffer;
using model::TaskAt;

/// One of the two that hold it.
struct Holder {
    TaskAt task;
    const Buffer* buffer = nullptr;
    std::string text;
    model::StackId stack;
};

class AliasFinder {
public:
    explicit AliasFinder(const Evidence& evidence)
        : m_evidence(evidence),
          m_capture(evidence.capture),
          m_tasks(evidence.capture),
          m_pooled(buffersCutUpUnseen(evidence.capture, evidence.libraries)),
          m_memory(evidence.capture) {}

    std::vector<Finding> find() {
        if (!m_tasks.hasTasks()) return {};
        findTwiceMapped();
        findTwiceNamed();
        return std::move(m_findings);
    }

private:
    bool isSharedOnPurpose(const Buffer& buffer, model::TaskId one, model::TaskId other) const {
        return std::any_of(m_capture.ownershipChanges.begin(), m_capture.ownershipChanges.end(),
                           [&](const model::OwnershipChange& change) {
                               const bool isToOne = change.toTaskId.isNone() || change.toTaskId == one ||
                                                    change.toTaskId == other;
                               return change.bufferId == buffer.id && isToOne;
                           });
    }

    /// Memory of the process itself is there for its tasks, and work of nobody in particular holds nothing.
    bool isHeldBy(const TaskAt& task, const Buffer& buffer) const {
        return !task.id.isNone() && task.basis != model::TaskBasis::Unassigned &&
               !(task.id == m_tasks.ownTaskOf(buffer.processId)) && !m_pooled.ids.contains(buffer.id.value);
    }

    /// A name is mostly given after the memory was got.
    std::string lastName(const Buffer& buffer) const {
        return namedText(m_capture, buffer, 0, std::min(buffer.freeNs, m_capture.endNs) - 1);
    }

    void findTwiceMapped() {
        std::map<std::int64_t, std::vector<const Buffer*>> mappings;
        for (const Buffer& b : m_capture.buffers) {
            if (b.kind == model::BufferKind::Vmm && !b.handleId.isNone())
                mappings[b.handleId.value].push_back(&b);
        }
        for (const auto& [handle, buffers] : mappings) {
            const Buffer& first = *buffers.front();
            const TaskAt owner = m_tasks.ownerAtBirth(first);
            for (std::size_t i = 1; i < buffers.size(); ++i) {
                const Buffer& other = *buffers[i];
                const TaskAt task = m_tasks.ownerAtBirth(other);
                const bool isAtOnce = first.isLiveAt(other.allocNs);
                if (!isAtOnce || task.id == owner.id || !isHeldBy(owner, first) || !isHeldBy(task, other))
                    continue;
                if (isSharedOnPurpose(first, owner.id, task.id) ||
                    isSharedOnPurpose(other, owner.id, task.id))
                    continue;
                const std::int64_t bytes = std::min(first.sizeBytes, other.sizeBytes);
                add({owner, &first, lastName(first), first.allocStackId},
                    {task, &other, lastName(other), other.allocStackId}, bytes,
                    "Both are mappings of one physical handle.", other.allocNs);
                break;
            }
        }
    }

    void findTwiceNamed() {
        model::Ownership ownership(m_capture, m_tasks);
        for (const SubBuffer& piece : m_capture.subBuffers) {
            if (piece.kind != model::PieceKind::Region) continue;
            ownership.advanceTo(piece.startNs);
            const Buffer* buffer = m_capture.buffers.find(piece.bufferId);
            if (buffer == nullptr || piece.sizeBytes <= 0) continue;
            judgeName(ownership, piece, *buffer, *buffer,
                      "The second task gave the first one's bytes a name of its own.");
            for (const model::SameMemory& older : m_memory.olderThan(*buffer)) {
                // Who exports memory and says no more means to share it with whoever opens it.
                if (older.handle == nullptr || !older.isSure || !isAnythingSaidOf(*older.buffer)) continue;
                judgeName(ownership, piece, *buffer, *older.buffer,
                          "The second task has it by an import and gave it a name of its own.");
            }
        }
    }

    bool isAnythingSaidOf(const Buffer& buffer) const {
        return std::any_of(m_capture.ownershipChanges.begin(), m_capture.ownershipChanges.end(),
                           [&](const auto& change) { return change.bufferId == buffer.id; });
    }

    /// Whether the task that named a piece of `named` holds what another task owns of `owned`, which is the
    /// same memory.
    void judgeName(const model::Ownership& ownership, const SubBuffer& piece, const Buffer& named,
                   const Buffer& owned, const char* how) {
        const TaskAt task{piece.taskId, model::TaskBasis::Mark};
        for (const model::Owned& part : ownership.ownersOf(owned, piece.offset, piece.sizeBytes)) {
            const TaskAt owner{part.taskId, part.basis};
            if (part.isHeap || part.taskId == task.id || !isHeldBy(owner, owned) || !isHeldBy(task, named) ||
                isSharedOnPurpose(owned, owner.id, task.id))
                continue;
            const std::string name = namedText(m_capture, owned, part.offset, piece.startNs - 1);
            add({owner, &owned, name, part.stackId},
                {task, &named, fmt::format("\"{}\"", piece.name), piece.stackId}, part.sizeBytes, how,
                piece.startNs);
            break;
        }
    }

    void add(const Holder& owner, const Holder& other, std::int64_t bytes, const char* how,
             std::int64_t timeNs) {
        const std::string_view ownerName = m_capture.taskName(owner.task.id);
        const std::string_view otherName = m_capture.taskName(other.task.id);
        if (m_evidence.allows({"sharing.alias", ownerName, otherName, "", owner.stack, other.stack, 1}))
            return;
        Finding& finding = m_findings.emplace_back();
        finding.rule = "sharing.alias";
        finding.findingClass = FindingClass::Sharing;
        const bool isKnown = isSure(owner.task.basis) && isSure(other.task.basis);
        finding.confidence = isKnown ? m_evidence.fromAllocations() : Confidence::Possible;
        finding.headline = fmt::format("{} and {}", ownerName, otherName);
        finding.sentence = fmt::format("{} and {} hold the same {}: {} and {}.", ownerName, otherName,
                                       model::bytesText(bytes), owner.text, other.text);
        finding.evidence = {
            how, fmt::format("Since {}; nothing of it was given or lent.", model::momentText(timeNs))};
        finding.stacks = {{fmt::format("held by {}, from", otherName), other.stack},
                          {fmt::format("held by {}, from", ownerName), owner.stack}};
        finding.buffers = {owner.buffer->id};
        if (!(other.buffer->id == owner.buffer->id)) finding.buffers.push_back(other.buffer->id);
        finding.processes = {owner.buffer->processId};
        if (!(other.buffer->processId == owner.buffer->processId))
            finding.processes.push_back(other.buffer->processId);
        finding.bytes = bytes;
        finding.count = finding.largestStackCount = 1;
        finding.wouldProveWrong = fmt::format(
            "It would be no fault if {} means to share it: then it can give or lend it.", ownerName);
        if (finding.confidence == Confidence::Possible)
            finding.wouldMakeSure = "Marks around the work of both tasks would make it sure.";
        finding.fingerprint =
            fingerprintOf(m_capture, finding.rule, other.stack, fmt::format("{}\n{}", ownerName, otherName));
    }

    const Evidence& m_evidence;
    const model::Capture& m_capture;
    model::TaskTimeline m_tasks;
    model::PooledBuffers m_pooled;
    model::SharedMemory m_memory;
    std::vector<Finding> m_findings;
};

}  // namespace

std::vector<Finding> findAliases(const Evidence& evidence) {
    return AliasFinder(evidence).find();
}

}  // namespace vramscope::detectors
