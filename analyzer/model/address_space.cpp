// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/address_space.h"

#include <algorithm>

namespace vramscope::model {
namespace {

std::uint64_t bits(std::int64_t address) {
    return static_cast<std::uint64_t>(address);
}

}  // namespace

AddressSpace::AddressSpace(const Capture& capture, ProcessId process) {
    for (const Buffer& b : capture.buffers) {
        if (b.processId != process || b.kind == BufferKind::Array) continue;
        m_byAddress.push_back(&b);
        m_largestBytes = std::max(m_largestBytes, b.sizeBytes);
    }
    std::sort(m_byAddress.begin(), m_byAddress.end(), [](const Buffer* a, const Buffer* b) {
        return a->address != b->address ? bits(a->address) < bits(b->address) : a->allocNs < b->allocNs;
    });
}

const Buffer* AddressSpace::liveAt(std::int64_t address, std::int64_t timeNs) const {
    const auto after = std::upper_bound(
        m_byAddress.begin(), m_byAddress.end(), address,
        [](std::int64_t wanted, const Buffer* b) { return bits(wanted) < bits(b->address); });
    for (auto at = after; at != m_byAddress.begin();) {
        const Buffer* b = *--at;
        const std::uint64_t offset = bits(address) - bits(b->address);
        if (offset > static_cast<std::uint64_t>(m_largestBytes)) break;
        const bool holds = offset == 0 || offset < static_cast<std::uint64_t>(b->sizeBytes);
        if (holds && b->isLiveAt(timeNs)) return b;
    }
    return nullptr;
}

const Buffer* AddressSpace::lastDeadAt(std::int64_t address, std::int64_t timeNs) const {
    const auto [first, last] =
        std::equal_range(m_byAddress.begin(), m_byAddress.end(), address, [](const auto& a, const auto& b) {
            const auto key = [](const auto& x) {
                if constexpr (std::is_pointer_v<std::decay_t<decltype(x)>>)
                    return bits(x->address);
                else
                    return bits(x);
            };
            return key(a) < key(b);
        });
    const Buffer* latest = nullptr;
    for (auto at = first; at != last; ++at) {
        if ((*at)->freeNs > timeNs) continue;
        if (!latest || latest->freeNs < (*at)->freeNs) latest = *at;
    }
    return latest;
}

std::vector<const Buffer*> AddressSpace::allLiveAt(std::int64_t timeNs) const {
    std::vector<const Buffer*> live;
    for (const Buffer* b : m_byAddress) {
        if (b->isLiveAt(timeNs)) live.push_back(b);
    }
    return live;
}

}  // namespace vramscope::model
