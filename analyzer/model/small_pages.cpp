// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/small_pages.h"

#include <algorithm>

namespace vramscope::model {
namespace {

/// The buffers that began on one page by a moment: sorted neighbours in `onPages`.
struct PageRun {
    std::vector<const Buffer*>::const_iterator first;
    std::vector<const Buffer*>::const_iterator last;
};

std::uint64_t pageOf(const Buffer* b) {
    return static_cast<std::uint64_t>(b->address) / static_cast<std::uint64_t>(kPageBytes);
}

std::int64_t mostEverLive(PageRun run, std::int64_t untilNs) {
    std::vector<std::pair<std::int64_t, std::int64_t>> changes;
    for (auto at = run.first; at != run.last; ++at) {
        changes.emplace_back((*at)->allocNs, (*at)->sizeBytes);
        if ((*at)->freeNs <= untilNs) changes.emplace_back((*at)->freeNs, -(*at)->sizeBytes);
    }
    std::sort(changes.begin(), changes.end());  // at one moment frees, which are negative, come first
    std::int64_t live = 0;
    std::int64_t most = 0;
    for (const auto& [timeNs, bytes] : changes)
        most = std::max(most, live += bytes);
    return std::min(most, kPageBytes);
}

void countPage(PageRun run, std::int64_t timeNs, SmallPages& pages) {
    std::int64_t live = 0;
    for (auto at = run.first; at != run.last; ++at) {
        if ((*at)->isLiveAt(timeNs)) live += (*at)->sizeBytes;
    }
    const std::int64_t most = mostEverLive(run, timeNs);
    if (live == 0) {
        pages.givenBackBytes += most;
        return;
    }
    pages.heldPageBytes += kPageBytes;
    pages.liveBytes += live;
    if (most <= live) return;
    pages.strandedBytes += most - live;
    for (auto at = run.first; at != run.last; ++at) {
        if ((*at)->isLiveAt(timeNs)) pages.pinning.push_back(*at);
    }
}

}  // namespace

bool sharesPage(const Buffer& buffer) {
    return buffer.kind == BufferKind::Device && buffer.sizeBytes < kPageBytes;
}

SmallPages smallPagesAt(const Capture& capture, ProcessId process, DeviceId device, std::int64_t timeNs) {
    std::vector<const Buffer*> onPages;
    for (const Buffer& b : capture.buffers) {
        const bool isOurs = b.processId == process && (device.isNone() || b.deviceId == device);
        if (isOurs && sharesPage(b) && b.allocNs <= timeNs) onPages.push_back(&b);
    }
    std::sort(onPages.begin(), onPages.end(), [](const Buffer* a, const Buffer* b) {
        return pageOf(a) != pageOf(b) ? pageOf(a) < pageOf(b) : a->allocNs < b->allocNs;
    });
    SmallPages pages;
    for (auto first = onPages.cbegin(); first != onPages.cend();) {
        const auto last =
            std::find_if(first, onPages.cend(), [&](const Buffer* b) { return pageOf(b) != pageOf(*first); });
        countPage({first, last}, timeNs, pages);
        first = last;
    }
    return pages;
}

}  // namespace vramscope::model
