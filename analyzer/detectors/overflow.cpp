// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/free_faults.h"
#include "analyzer/detectors/kernel_text.h"
#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"

/// corruption.overflow: the guard bytes behind a buffer changed. That they did is proven; who did it is not,
/// so kernels are named as candidates.
namespace vramscope::detectors {
namespace {

std::string candidatesOf(const model::GuardHit& hit) {
    std::string text;
    for (const model::KernelUse& use : hit.kernels) {
        if (!text.empty()) text += ", ";
        text += kernelText(use.kernel);
        if (use.launches > 1) text += fmt::format(" ({} launches)", use.launches);
    }
    return text;
}

Finding describe(const Evidence& evidence, const model::GuardHit& hit) {
    Finding finding;
    finding.rule = "corruption.overflow";
    finding.confidence = Confidence::Proven;
    finding.findingClass = FindingClass::Corruption;
    finding.processes = {hit.processId};
    finding.bytes = hit.changedBytes;
    finding.count = 1;
    const model::Buffer* buffer = evidence.capture.buffers.find(hit.bufferId);
    const std::string name = buffer != nullptr ? bufferText(*buffer) : "a buffer";
    const std::string bytes = model::countOf(hit.changedBytes, "byte");
    finding.headline = fmt::format("{} past the end", bytes);
    finding.sentence = fmt::format(
        "{} behind {} changed, the first {}.", bytes, name,
        hit.firstOffset == 0 ? "right at its end"
                             : fmt::format("{} past its end", model::countOf(hit.firstOffset, "byte")));
    finding.evidence.push_back(fmt::format("Its guard was whole at {} and changed at {}.",
                                           model::momentText(hit.sinceNs), model::momentText(hit.foundNs)));
    if (!hit.launchedKernel.empty())
        finding.evidence.push_back(
            fmt::format("It was seen right behind a launch of {} on the same stream, called at {}.",
                        kernelText(hit.launchedKernel), model::momentText(hit.launchNs)));
    finding.moments = {{hit.sinceNs, "The bytes behind it are whole.", {}}};
    if (!hit.launchedKernel.empty())
        finding.moments.push_back(
            {hit.launchNs, fmt::format("{} is launched.", kernelText(hit.launchedKernel)), {}});
    finding.moments.push_back({hit.foundNs, fmt::format("{} behind its end have changed.", bytes), {}});
    if (const std::string candidates = candidatesOf(hit); !candidates.empty())
        finding.evidence.push_back(
            fmt::format("Possible writers, given a pointer to it meanwhile: {}.", candidates));
    if (buffer != nullptr) {
        finding.buffers = {buffer->id};
        finding.stacks = {{"allocated", buffer->allocStackId}};
    }
    finding.wouldProveWrong = "It would be no fault if the bytes behind the buffer were the job's, too.";
    finding.wouldMakeSure = "Which kernel wrote them would show with --engine exact.";
    finding.fingerprint = fingerprintOf(evidence.capture, finding.rule,
                                        buffer != nullptr ? buffer->allocStackId : model::StackId{});
    return finding;
}

}  // namespace

std::vector<Finding> findOverflows(const Evidence& evidence) {
    std::vector<Finding> findings;
    for (const model::GuardHit& hit : evidence.capture.guardHits)
        findings.push_back(describe(evidence, hit));
    return findings;
}

}  // namespace vramscope::detectors
