// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "analyzer/detectors/free_faults.h"
#include "analyzer/detectors/out_of_memory.h"
#include "analyzer/model/heap_holes.h"
#include "analyzer/model/ledger.h"
#include "analyzer/model/live_timeline.h"
#include "analyzer/model/small_pages.h"
#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"
#include "analyzer/model/vmm_holes.h"
#include "analyzer/report/report_text.h"

namespace vramscope::report {
namespace {

using model::Capture;

/// The moments at which unused memory matters: when a request failed, at the peak, and when the last thing
/// was held, just before each process ended.
std::vector<std::int64_t> telltaleMoments(const Capture& capture) {
    std::vector<std::int64_t> moments{model::LiveTimeline(capture).peak().timeNs};
    for (const detectors::FailedRequest& request : detectors::failedRequests(capture))
        moments.push_back(request.call->enterNs);
    for (const model::FailedCall& call : capture.failedCalls) {
        if (call.family == "heap") moments.push_back(call.enterNs);
    }
    for (const model::Process& process : capture.processes)
        moments.push_back(capture.endOf(process.id) - 1);
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    // Each costs a walk over all buffers. A job that fails a thousand requests shows the same at each.
    constexpr std::size_t kMost = 16;
    if (moments.size() > kMost) moments.erase(moments.begin(), moments.end() - kMost);
    return moments;
}

std::string thresholdText(const model::Pool& pool) {
    if (!pool.releaseThresholdBytes) return "its release threshold was not read";
    const std::int64_t bytes = *pool.releaseThresholdBytes;
    if (bytes == 0) return "release threshold 0: the next synchronisation gives it back";
    if (bytes > 1024 * model::kGiB) return "release threshold at its maximum: nothing is given back unasked";
    return fmt::format("release threshold {}", model::bytesText(bytes));
}

std::string poolLines(const Capture& capture) {
    std::map<model::PoolId, const model::PoolSample*> worst;
    std::map<model::PoolId, const model::PoolSample*> last;
    const auto unused = [](const model::PoolSample* s) { return s->reservedBytes - s->usedBytes; };
    for (const model::PoolSample& sample : capture.poolSamples) {
        last[sample.poolId] = &sample;
        const model::PoolSample*& most = worst[sample.poolId];
        if (!most || unused(&sample) > unused(most)) most = &sample;
    }
    std::string text;
    for (const auto& [poolId, sample] : worst) {
        const model::Pool* pool = capture.pools.find(poolId);
        if (!pool || unused(sample) <= 0) continue;
        text += wrapped(
            fmt::format("  {:>10}  ", model::bytesText(unused(sample))),
            fmt::format("{} at {}, of {} reserved; {}", pool->isDefault ? "in the default pool" : "in a pool",
                        model::momentText(sample->timeNs), model::bytesText(sample->reservedBytes),
                        thresholdText(*pool)));
        const model::PoolSample* end = last[poolId];
        text += fmt::format("  {:>10}  still unused when it was read last, at {}\n",
                            model::bytesText(std::max<std::int64_t>(unused(end), 0)),
                            model::momentText(end->timeNs));
        if (!pool->createStackId.isNone())
            text += fmt::format("  {:>10}  made at {}\n", "",
                                printable(shortPlace(capture, pool->createStackId)));
    }
    return text;
}

/// "pinned by b7f31.1 (2.0 MiB of device memory), cache.py:14", the smallest first: freeing it costs least.
std::string pinningLines(const Capture& capture, std::vector<const model::Buffer*> pinning) {
    constexpr std::size_t kMost = 3;
    std::stable_sort(pinning.begin(), pinning.end(),
                     [](const auto* a, const auto* b) { return a->sizeBytes < b->sizeBytes; });
    std::string text;
    for (std::size_t i = 0; i < std::min(pinning.size(), kMost); ++i) {
        text += fmt::format("  {:>10}  pinned by {}, {}\n", "", detectors::bufferText(*pinning[i]),
                            printable(shortPlace(capture, pinning[i]->allocStackId)));
    }
    if (pinning.size() > kMost)
        text += fmt::format("  {:>10}  and by {} more\n", "",
                            model::countText(static_cast<std::int64_t>(pinning.size() - kMost)));
    return text;
}

std::string strandedLines(const Capture& capture, const std::vector<std::int64_t>& moments) {
    std::string text;
    for (const model::Process& process : capture.processes) {
        model::SmallPages worst;
        std::int64_t worstNs = 0;
        for (const std::int64_t timeNs : moments) {
            model::SmallPages pages = smallPagesAt(capture, process.id, model::DeviceId(), timeNs);
            if (pages.strandedBytes <= worst.strandedBytes) continue;
            worst = std::move(pages);
            worstNs = timeNs;
        }
        if (worst.strandedBytes == 0) continue;
        text += fmt::format("  {:>10}  freed and not given back at {}: 2 MiB pages that live buffers share\n",
                            model::bytesText(worst.strandedBytes), model::momentText(worstNs));
        text += pinningLines(capture, worst.pinning);
    }
    return text;
}

std::string holeLines(const Capture& capture, const std::vector<std::int64_t>& moments, std::size_t most) {
    std::vector<model::ReservationUse> worst;
    std::int64_t worstBytes = 0;
    std::int64_t worstNs = 0;
    for (const std::int64_t timeNs : moments) {
        std::vector<model::ReservationUse> uses = reservationsWithHolesAt(capture, timeNs);
        std::int64_t bytes = 0;
        for (const model::ReservationUse& use : uses)
            bytes = model::addClamped(bytes, use.holeBytes);
        if (bytes <= worstBytes) continue;
        worst = std::move(uses);
        worstBytes = bytes;
        worstNs = timeNs;
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(worst.size(), most); ++i) {
        const model::ReservationUse& use = worst[i];
        text += fmt::format("  {:>10}  in {} of a reserved range at {}, the largest {}; {} mapped of {}\n",
                            model::bytesText(use.holeBytes), model::countOf(use.holeCount, "hole"),
                            model::momentText(worstNs), model::bytesText(use.largestHoleBytes),
                            model::bytesText(use.mappedBytes), model::bytesText(use.reservation->sizeBytes));
        text += fmt::format("  {:>10}  reserved at {}\n", "",
                            printable(shortPlace(capture, use.reservation->stackId)));
        text += pinningLines(capture, use.pinning);
    }
    if (worst.size() > most)
        text += fmt::format("  {} more ranges; --top {} shows them.\n", worst.size() - most, worst.size());
    return text;
}

std::string heapLine(const Capture& capture, const model::HeapUse& use, std::int64_t timeNs) {
    std::string text = fmt::format(
        "  {:>10}  in {} of {} at {}, the largest {}; {} in {}\n", model::bytesText(use.freeBytes),
        model::countOf(use.holeCount, "hole"),
        use.heap->name.empty() ? std::string("a heap")
                               : fmt::format("heap \"{}\"", printable(use.heap->name)),
        model::momentText(timeNs), model::bytesText(use.largestHoleBytes),
        model::bytesText(use.heap->sizeBytes - use.freeBytes), model::countOf(use.blockCount, "block"));
    constexpr std::size_t kMost = 3;
    for (std::size_t i = 0; i < std::min(use.pinning.size(), kMost); ++i) {
        const model::SubBuffer& block = *use.pinning[i];
        const std::string name = block.name.empty() ? "" : fmt::format(" \"{}\"", printable(block.name));
        text += fmt::format("  {:>10}  pinned by {}{} of {}, {}\n", "", model::bytesText(block.sizeBytes),
                            name, printable(capture.taskName(block.taskId)),
                            printable(shortPlace(capture, block.stackId)));
    }
    if (use.pinning.size() > kMost)
        text += fmt::format("  {:>10}  and by {} more\n", "",
                            model::countText(static_cast<std::int64_t>(use.pinning.size() - kMost)));
    return text;
}

/// Heaps that the program declared, each at the moment when most of it lay in holes.
std::string heapLines(const Capture& capture, const std::vector<std::int64_t>& moments, std::size_t most) {
    if (capture.subBuffers.empty()) return "";
    std::map<const model::SubBuffer*, std::pair<model::HeapUse, std::int64_t>> worst;
    for (const std::int64_t timeNs : moments) {
        for (model::HeapUse& use : heapsWithHolesAt(capture, timeNs)) {
            auto& known = worst[use.heap];
            const bool isWorse = known.first.heap == nullptr || use.freeBytes > known.first.freeBytes;
            if (isWorse) known = {std::move(use), timeNs};
        }
    }
    std::string text;
    std::size_t shown = 0;
    for (const auto& [heap, at] : worst) {
        if (++shown <= most) text += heapLine(capture, at.first, at.second);
    }
    if (shown > most) text += fmt::format("  {} more heaps; --top {} shows them.\n", shown - most, shown);
    return text;
}

std::string roundingLines(const Capture& capture) {
    std::string text;
    for (const model::Ledger& ledger : ledgersAtPeak(capture)) {
        if (ledger.tracked.rounding < model::kPageBytes) continue;
        text += fmt::format(
            "  {:>10}  in sizes rounded up to 2 MiB pages and in pages that small buffers share, at {}\n",
            model::bytesText(ledger.tracked.rounding), model::momentText(ledger.timeNs));
    }
    return text;
}

}  // namespace

std::string unusedSection(const Capture& capture, const ReportOptions& options) {
    const std::vector<std::int64_t> moments = telltaleMoments(capture);
    const std::string text = poolLines(capture) + strandedLines(capture, moments) +
                             holeLines(capture, moments, options.top) +
                             heapLines(capture, moments, options.top) + roundingLines(capture);
    if (text.empty()) return "";
    return fmt::format("{}\n\n{}\n", options.style.heading("RESERVED BUT UNUSED"), text);
}

}  // namespace vramscope::report
