// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/model/buffer_name.h"
#include "analyzer/model/heap_holes.h"
#include "analyzer/model/stack_text.h"
#include "analyzer/model/task_timeline.h"
#include "analyzer/model/units.h"

/// fit.fragmentation: a heap of the program had enough bytes free for a request and no hole that was large
/// enough.
namespace vramscope::detectors {
namespace {

using model::Capture;
using model::FailedCall;
using model::HeapUse;
using model::SubBuffer;

constexpr std::size_t kBlocksTold = 3;
/// Different requests that are judged; each costs a walk over all pieces.
constexpr std::size_t kMostRequests = 1000;

/// The block's place in its buffer, or by its address where no buffer is known.
std::string placeText(const Capture& capture, const SubBuffer& block) {
    const model::Buffer* buffer = capture.buffers.find(block.bufferId);
    if (buffer == nullptr) return fmt::format("{:#x}", static_cast<std::uint64_t>(block.address));
    return fmt::format("{} at offset {:#x}", idText(*buffer), static_cast<std::uint64_t>(block.offset));
}

std::string heapText(const Capture& capture, const SubBuffer& heap) {
    return heap.name.empty() ? fmt::format("the heap at {}", placeText(capture, heap))
                             : fmt::format("heap \"{}\"", heap.name);
}

std::string blockText(const Capture& capture, const SubBuffer& block) {
    const std::string name = block.name.empty() ? "" : fmt::format(" \"{}\"", block.name);
    return fmt::format("{}{} of {} ({}), {}", model::bytesText(block.sizeBytes), name,
                       capture.taskName(block.taskId), placeText(capture, block),
                       shortPlace(capture, block.stackId));
}

/// What the heap handed out next to the task that had asked, when it was at least as much: it made room.
const SubBuffer* servedLater(const Capture& capture, const SubBuffer& heap, const FailedCall& call,
                             model::TaskId task) {
    for (const SubBuffer& piece : capture.subBuffers) {
        const bool isNext = piece.kind == model::PieceKind::Block && piece.processId == call.processId &&
                            piece.startNs > call.exitNs && piece.taskId == task &&
                            piece.bufferId == heap.bufferId;
        if (isNext) return piece.sizeBytes >= call.sizeBytes ? &piece : nullptr;
    }
    return nullptr;
}

Finding begin(const Evidence& evidence, const FailedCall& call) {
    Finding finding;
    finding.rule = "fit.fragmentation";
    finding.findingClass = FindingClass::Fit;
    // Blocks are known from the program's own marks, which are lost where records are.
    finding.confidence = evidence.fromAllocations();
    finding.processes = {call.processId};
    finding.stacks = {{"asked", call.stackId}};
    finding.bytes = call.sizeBytes;
    finding.count = finding.largestStackCount = call.repeatCount;
    return finding;
}

void tellPinning(const Capture& capture, const HeapUse& use, Finding& finding) {
    std::vector<const SubBuffer*> blocks = use.pinning;
    if (blocks.empty()) return;
    std::int64_t bytes = 0;
    for (const SubBuffer* block : blocks)
        bytes = model::addClamped(bytes, block->sizeBytes);
    std::stable_sort(blocks.begin(), blocks.end(),
                     [](const auto* a, const auto* b) { return a->sizeBytes > b->sizeBytes; });
    const bool isOne = blocks.size() == 1;
    finding.evidence.push_back(
        fmt::format("Without {} ({}) there would be a hole of {}.",
                    isOne ? "one block" : model::countOf(static_cast<std::int64_t>(blocks.size()), "block"),
                    model::bytesText(bytes), model::bytesText(use.roomWithoutThem)));
    for (std::size_t i = 0; i < std::min(blocks.size(), kBlocksTold); ++i) {
        finding.evidence.push_back(fmt::format("Pinned by {}.", blockText(capture, *blocks[i])));
        const model::StackId stack = blocks[i]->stackId;
        const bool isTold = std::any_of(finding.stacks.begin(), finding.stacks.end(),
                                        [&](const LabelledStack& told) { return told.stack == stack; });
        if (!stack.isNone() && !isTold) finding.stacks.push_back({"pinned by a block from", stack});
    }
    if (blocks.size() > kBlocksTold)
        finding.evidence.push_back(fmt::format(
            "And by {} more.", model::countText(static_cast<std::int64_t>(blocks.size() - kBlocksTold))));
}

Finding describe(const Evidence& evidence, const FailedCall& call, const HeapUse& use, model::TaskId task) {
    const Capture& capture = evidence.capture;
    Finding finding = begin(evidence, call);
    const std::string heap = heapText(capture, *use.heap);
    const std::string size = model::bytesText(call.sizeBytes);
    finding.fingerprint = fingerprintOf(capture, finding.rule, call.stackId, use.heap->name);
    finding.moments = {
        {call.enterNs,
         use.holeCount == 0
             ? fmt::format("{} are asked for and refused: there is no hole.", size)
             : fmt::format("{} are asked for and refused: the largest of {} has {}.", size,
                           model::countOf(use.holeCount, "hole"), model::bytesText(use.largestHoleBytes)),
         call.stackId}};
    if (const SubBuffer* later = servedLater(capture, *use.heap, call, task)) {
        finding.findingClass = FindingClass::Recovered;
        finding.headline = fmt::format("{}, recovered", size);
        finding.sentence =
            fmt::format("{} refused by {} at {}, then served {} later.", size, heap,
                        model::momentText(call.enterNs), model::durationText(later->startNs - call.exitNs));
        finding.evidence.emplace_back("The allocator made room and went on; only time was lost.");
        finding.fingerprint = fingerprintOf(capture, finding.rule, call.stackId, "recovered");
        return finding;
    }
    finding.headline = fmt::format("{} refused, {} free", size, model::bytesText(use.freeBytes));
    finding.sentence =
        fmt::format("{} had no room for {} at {}, with {} free: the largest hole was {}.", heap, size,
                    model::momentText(call.enterNs), model::bytesText(use.freeBytes),
                    use.holeCount == 0 ? "none" : model::bytesText(use.largestHoleBytes));
    finding.sentence.front() = finding.sentence.front() == 't' ? 'T' : 'H';
    if (call.repeatCount > 1)
        finding.evidence.push_back(
            fmt::format("The same request failed {} times.", model::countText(call.repeatCount)));
    finding.evidence.push_back(
        fmt::format("The heap has {} in {}; its free bytes lie in {}.", model::bytesText(use.heap->sizeBytes),
                    model::countOf(use.blockCount, "block"), model::countOf(use.holeCount, "hole")));
    tellPinning(capture, use, finding);
    if (!use.heap->bufferId.isNone()) finding.buffers = {use.heap->bufferId};
    finding.wouldProveWrong = "It would be no fault if the program expects the failure and does without.";
    if (finding.confidence == Confidence::Possible)
        finding.wouldMakeSure = "A run without lost records would make it sure.";
    return finding;
}

}  // namespace

std::vector<Finding> findFragmentation(const Evidence& evidence) {
    const Capture& capture = evidence.capture;
    if (capture.subBuffers.empty()) return {};
    const model::TaskTimeline tasks(capture);
    std::vector<Finding> findings;
    std::size_t judged = 0;
    for (const FailedCall& call : capture.failedCalls) {
        if (call.family != "heap" || ++judged > kMostRequests) continue;
        const SubBuffer* heap = heapAt(capture, call.processId, call.address, call.enterNs);
        if (heap == nullptr) continue;
        const HeapUse use = heapUseAt(capture, *heap, call.enterNs, call.sizeBytes);
        if (!use.isTooScatteredFor(call.sizeBytes)) continue;
        const model::TaskId task = tasks.at(call.processId, call.threadId, {}, {}, call.enterNs).id;
        findings.push_back(describe(evidence, call, use, task));
    }
    return findings;
}

}  // namespace vramscope::detectors
