// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "analyzer/detectors/detector.h"
#include "analyzer/detectors/out_of_memory.h"
#include "analyzer/model/small_pages.h"
#include "analyzer/model/units.h"

/// fit.stranded-pages: a request failed while freed buffers below 2 MiB kept their pages, because others live
/// on them.
namespace vramscope::detectors {
namespace {

/// Less than this is not worth a finding, whatever failed.
constexpr std::int64_t kFewestBytes = 16 * model::kMiB;
constexpr std::size_t kStacksTold = 3;

/// The stacks whose buffers hold the pages, the one with most buffers first.
std::vector<LabelledStack> pinningStacks(const model::SmallPages& pages) {
    std::map<model::StackId, std::int64_t> counts;
    for (const model::Buffer* b : pages.pinning)
        ++counts[b->allocStackId];
    std::vector<std::pair<std::int64_t, model::StackId>> order;
    for (const auto& [stack, count] : counts)
        order.emplace_back(-count, stack);
    std::sort(order.begin(), order.end());
    std::vector<LabelledStack> stacks;
    for (const auto& [negativeCount, stack] : order) {
        if (stacks.size() == kStacksTold) break;
        stacks.push_back({fmt::format("pinned by {}", model::countOf(-negativeCount, "buffer")), stack});
    }
    return stacks;
}

Finding describe(const Evidence& evidence, const FailedRequest& request, const model::SmallPages& pages) {
    const model::FailedCall& call = *request.call;
    Finding finding;
    finding.rule = "fit.stranded-pages";
    finding.findingClass = FindingClass::Fit;
    // Where pages lie is the driver's business; the arithmetic is exact for the drivers it was measured on.
    finding.confidence = evidence.fromAllocations();
    finding.processes = {call.processId};
    finding.bytes = pages.strandedBytes;
    finding.count = static_cast<std::int64_t>(pages.pinning.size());
    finding.headline = fmt::format("{} stranded", model::bytesText(pages.strandedBytes));
    finding.sentence =
        fmt::format("{} of buffers below 2 MiB were freed; {} of that went back to the driver.",
                    model::bytesText(model::addClamped(pages.strandedBytes, pages.givenBackBytes)),
                    pages.givenBackBytes == 0 ? "nothing" : model::bytesText(pages.givenBackBytes));
    finding.moments = {{call.enterNs,
                        fmt::format("A request for {} is refused.", model::bytesText(call.sizeBytes)),
                        call.stackId}};
    finding.evidence.push_back(fmt::format("A request for {} was refused at {}.",
                                           model::bytesText(call.sizeBytes),
                                           model::momentText(call.enterNs)));
    finding.evidence.push_back(fmt::format("{} still live hold {} of shared 2 MiB pages.",
                                           model::countOf(finding.count, "buffer"),
                                           model::bytesText(pages.heldPageBytes)));
    finding.evidence.emplace_back(
        "A page goes back only when everything on it is freed. One larger block, cut up by "
        "the program, would not have this.");
    finding.stacks = pinningStacks(pages);
    for (const model::Buffer* b : pages.pinning)
        finding.buffers.push_back(b->id);
    finding.wouldProveWrong =
        "It would be no fault if the request would not have fitted even with these bytes.";
    if (finding.confidence == Confidence::Possible) {
        finding.wouldMakeSure = "A run without lost records would make it sure.";
    }
    finding.fingerprint =
        fingerprintOf(evidence.capture, finding.rule,
                      finding.stacks.empty() ? model::StackId() : finding.stacks.front().stack);
    return finding;
}

}  // namespace

std::vector<Finding> findStrandedPages(const Evidence& evidence) {
    std::vector<Finding> findings;
    for (const FailedRequest& request : failedRequests(evidence.capture)) {
        if (request.recoveredBy || request.isHostMemory) continue;
        const model::SmallPages pages =
            smallPagesAt(evidence.capture, request.call->processId, request.deviceId, request.call->enterNs);
        // A tenth of the request: less would hardly have saved it.
        if (pages.strandedBytes < std::max(kFewestBytes, request.call->sizeBytes / 10)) continue;
        findings.push_back(describe(evidence, request, pages));
        // Every later failure meets the same pages; once is enough for one process.
        break;
    }
    return findings;
}

}  // namespace vramscope::detectors
