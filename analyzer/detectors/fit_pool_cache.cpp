// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <map>

#include "analyzer/detectors/detector.h"
#include "analyzer/model/units.h"

/// fit.pool-cache: a stream-ordered pool that keeps what was freed because its release threshold tells it to.
namespace vramscope::detectors {
namespace {

constexpr std::int64_t kFewestBytes = 16 * model::kMiB;

Finding describe(const Evidence& evidence, const model::Pool& pool, const model::PoolSample& last) {
    Finding finding;
    finding.rule = "fit.pool-cache";
    finding.findingClass = FindingClass::PoolCache;
    finding.confidence = pool.releaseThresholdBytes ? Confidence::Proven : Confidence::Possible;
    finding.processes = {pool.processId};
    finding.bytes = last.reservedBytes - last.usedBytes;
    finding.count = 1;
    finding.headline = fmt::format("{} kept by a pool", model::bytesText(finding.bytes));
    finding.sentence =
        fmt::format("{} keeps {} that nothing uses; a trim would return it.",
                    pool.isDefault ? "The device's default pool" : "A pool", model::bytesText(finding.bytes));
    finding.evidence.push_back(
        fmt::format("At {} it held {}, of which {} were in use.", model::momentText(last.timeNs),
                    model::bytesText(last.reservedBytes), model::bytesText(last.usedBytes)));
    if (pool.releaseThresholdBytes) {
        const bool isEverything = *pool.releaseThresholdBytes > model::kGiB * 1024;
        finding.evidence.push_back(fmt::format("Its release threshold is {}.",
                                               isEverything
                                                   ? std::string("the maximum, so it gives nothing back")
                                                   : model::bytesText(*pool.releaseThresholdBytes)));
    } else {
        finding.wouldMakeSure = "The pool's release threshold was never read; --record=all reads it.";
    }
    finding.evidence.emplace_back(
        "The driver takes it back by itself when this process would run out of memory.");
    if (!pool.createStackId.isNone()) finding.stacks = {{"created", pool.createStackId}};
    finding.wouldProveWrong = "It is wanted where the same sizes come again: then it saves time.";
    finding.fingerprint =
        fingerprintOf(evidence.capture, finding.rule, pool.createStackId, pool.isDefault ? "default" : "");
    return finding;
}

}  // namespace

std::vector<Finding> findPoolCaches(const Evidence& evidence) {
    std::map<model::PoolId, const model::PoolSample*> lastSamples;
    for (const model::PoolSample& sample : evidence.capture.poolSamples)
        lastSamples[sample.poolId] = &sample;
    std::vector<Finding> findings;
    for (const auto& [poolId, last] : lastSamples) {
        const model::Pool* pool = evidence.capture.pools.find(poolId);
        if (!pool || last->reservedBytes - last->usedBytes < kFewestBytes) continue;
        // With threshold 0 the next synchronisation gives it back: nothing is kept.
        if (pool->releaseThresholdBytes.value_or(1) == 0) continue;
        findings.push_back(describe(evidence, *pool, *last));
    }
    return findings;
}

}  // namespace vramscope::detectors
