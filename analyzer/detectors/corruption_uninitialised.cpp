// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/free_faults.h"
#include "analyzer/detectors/kernel_text.h"
#include "analyzer/model/units.h"

/// corruption.uninitialised: a kernel read a buffer that nobody had written.
namespace vramscope::detectors {
namespace {

Finding describe(const Evidence& evidence, const model::Access& read, const model::Buffer& buffer) {
    Finding finding;
    finding.rule = "corruption.uninitialised";
    finding.findingClass = FindingClass::Corruption;
    // That nobody wrote it rests on all writers being seen, and some have no call: another device, the
    // network.
    finding.confidence = Confidence::Possible;
    finding.processes = {read.processId};
    finding.buffers = {buffer.id};
    finding.bytes = read.sizeBytes;
    finding.count = 1;
    finding.headline = "read before it was written";
    std::string reader = kernelPhrase(read.what);
    reader[0] = read.what.empty() ? 'A' : 'K';
    finding.sentence =
        fmt::format("{} read {}, which nothing had written before.", reader, bufferText(buffer));
    finding.evidence.push_back(fmt::format(
        "It read from offset {:#x} to {:#x}, launched at {}.", static_cast<std::uint64_t>(read.offset),
        static_cast<std::uint64_t>(read.end()), model::momentText(read.enterNs)));
    finding.evidence.push_back(
        "No kernel, copy or set that came before it, and not it itself, wrote any of the buffer.");
    finding.stacks = {{"allocated", buffer.allocStackId}};
    if (!read.stackId.isNone()) finding.stacks.insert(finding.stacks.begin(), {"launched", read.stackId});
    finding.wouldProveWrong =
        "It would be no fault if something outside CUDA's calls writes the buffer, or if the kernel does not "
        "use what it read.";
    finding.wouldMakeSure = "--poison fills new memory with NaN: if the results change, it was used.";
    finding.fingerprint =
        fingerprintOf(evidence.capture, finding.rule, buffer.allocStackId, std::string(read.what));
    return finding;
}

}  // namespace

std::vector<Finding> findUninitialisedReads(const Evidence& evidence) {
    std::vector<Finding> findings;
    if (!evidence.completeness.workIsWhole || !evidence.completeness.allocationsAreWhole) return findings;
    for (const model::Access& read : evidence.capture.unwrittenReads.accesses) {
        const model::Buffer* buffer = evidence.capture.buffers.find(read.bufferId);
        if (buffer == nullptr) continue;
        // A library may well read its workspace and throw the values away.
        if (evidence.libraries.of(buffer->allocStackId, buffer->processId).kind ==
            model::LibraryKind::Compute)
            continue;
        findings.push_back(describe(evidence, read, *buffer));
    }
    return findings;
}

}  // namespace vramscope::detectors
