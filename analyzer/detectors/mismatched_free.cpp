// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/free_faults.h"
#include "analyzer/model/units.h"

/// corruption.mismatched-free: a live block was given to the free of another kind of memory, which refused
/// it.
namespace vramscope::detectors {
namespace {

std::string_view rightFree(model::BufferKind kind) {
    switch (kind) {
        case model::BufferKind::Device:
        case model::BufferKind::Async:
        case model::BufferKind::Managed:
        case model::BufferKind::Graph:
            return "cudaFree or cuMemFree";
        case model::BufferKind::Pinned:
            return "cudaFreeHost or cuMemFreeHost";
        case model::BufferKind::Registered:
            return "cudaHostUnregister or cuMemHostUnregister";
        case model::BufferKind::Vmm:
            return "cuMemUnmap";
        case model::BufferKind::Array:
            return "cudaFreeArray or cuArrayDestroy";
        case model::BufferKind::Ipc:
            return "cudaIpcCloseMemHandle or cuIpcCloseMemHandle";
        case model::BufferKind::Module:
            return "unloading its module";
        case model::BufferKind::Unknown:
            break;
    }
    return "the call that belongs to its allocation";
}

Finding describe(const Evidence& evidence, const JudgedFree& judged) {
    const model::FailedCall& call = *judged.call;
    const model::Buffer& buffer = *judged.buffer;
    Finding finding;
    finding.rule = "corruption.mismatched-free";
    finding.findingClass = FindingClass::Corruption;
    finding.confidence = evidence.fromAllocations();
    finding.processes = {call.processId};
    finding.count = call.repeatCount;
    finding.bytes = buffer.sizeBytes;
    finding.buffers = {buffer.id};
    finding.headline =
        fmt::format("{} of {}", model::bytesText(buffer.sizeBytes), model::description(buffer.kind));
    finding.sentence = fmt::format("{} was given to {}, which cannot free it.", bufferText(buffer), call.api);
    finding.evidence.push_back(fmt::format("{} at {}.", refusalText(call), model::momentText(call.enterNs)));
    finding.evidence.push_back(buffer.wasFreed() ? fmt::format("In the end it {}.", endText(buffer))
                                                 : std::string("The block stays: it was never freed."));
    finding.evidence.push_back(fmt::format("It wants {}.", rightFree(buffer.kind)));
    finding.stacks = {{"freed", call.stackId}, {"allocated", buffer.allocStackId}};
    finding.wouldProveWrong =
        "It would be no fault if the program reads the error and frees the block rightly.";
    if (finding.confidence == Confidence::Possible) {
        finding.wouldMakeSure = "A run without lost records would make it sure.";
    }
    finding.fingerprint =
        fingerprintOf(evidence.capture, finding.rule, call.stackId, formats::bufferKindName(buffer.kind));
    return finding;
}

}  // namespace

std::vector<Finding> findMismatchedFrees(const Evidence& evidence) {
    std::vector<Finding> findings;
    for (const JudgedFree& judged : judgeFailedFrees(evidence.capture)) {
        if (judged.fault == FreeFault::Mismatched) findings.push_back(describe(evidence, judged));
    }
    return findings;
}

}  // namespace vramscope::detectors
