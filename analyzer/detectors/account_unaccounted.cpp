// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "analyzer/detectors/detector.h"
#include "analyzer/model/ledger.h"
#include "analyzer/model/units.h"

/// account.unaccounted: what the driver reports for the job and no part of the ledger explains.
namespace vramscope::detectors {
namespace {

/// Modules that are loaded late and local memory of kernels are part of it in every program.
constexpr std::int64_t kUsualBytes = 512 * model::kMiB;

}  // namespace

std::vector<Finding> findUnaccounted(const Evidence& evidence) {
    std::vector<Finding> findings;
    for (const model::Ledger& ledger : ledgersAtPeak(evidence.capture)) {
        // On a whole device others' bytes are part of the number, so the rest says nothing about the job.
        if (ledger.isWholeDevice) continue;
        if (ledger.notAccountedBytes < std::max(kUsualBytes, ledger.reportedBytes / 20)) continue;
        Finding finding;
        finding.rule = "account.unaccounted";
        finding.findingClass = FindingClass::Unaccounted;
        finding.bytes = ledger.notAccountedBytes;
        finding.count = 1;
        finding.headline = fmt::format("{} not accounted for", model::bytesText(ledger.notAccountedBytes));
        finding.sentence = fmt::format(
            "The driver reports {} for the job at {}; {} of it belong to nothing that was recorded.",
            model::bytesText(ledger.reportedBytes), model::momentText(ledger.timeNs),
            model::bytesText(ledger.notAccountedBytes));
        finding.evidence.emplace_back(
            "Kernels' local memory and what was allocated before recording began are among it.");
        finding.wouldProveWrong = "It is no fault by itself.";
        const model::Device* device = evidence.capture.devices.find(ledger.deviceId);
        finding.fingerprint = fingerprintOf(evidence.capture, finding.rule, {}, device ? device->name : "");
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace vramscope::detectors
