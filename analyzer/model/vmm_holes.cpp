// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/vmm_holes.h"

#include <algorithm>
#include <map>

namespace vramscope::model {
namespace {

std::uint64_t bits(std::int64_t address) {
    return static_cast<std::uint64_t>(address);
}

/// Mappings of one process that are live at a moment, by address.
std::map<ProcessId, std::vector<const Buffer*>> mappingsAt(const Capture& capture, std::int64_t timeNs) {
    std::map<ProcessId, std::vector<const Buffer*>> mappings;
    for (const Buffer& b : capture.buffers) {
        if (b.kind == BufferKind::Vmm && b.isLiveAt(timeNs)) mappings[b.processId].push_back(&b);
    }
    for (auto& [process, list] : mappings) {
        std::sort(list.begin(), list.end(),
                  [](const Buffer* a, const Buffer* b) { return bits(a->address) < bits(b->address); });
    }
    return mappings;
}

ReservationUse useOf(const Reservation& reservation, const std::vector<const Buffer*>& mappings) {
    ReservationUse use;
    use.reservation = &reservation;
    const Buffer* before = nullptr;
    for (const Buffer* b : mappings) {
        const std::uint64_t offset = bits(b->address) - bits(reservation.address);
        if (bits(b->address) < bits(reservation.address) || offset >= bits(reservation.sizeBytes)) continue;
        use.mappedBytes = addClamped(use.mappedBytes, b->sizeBytes);
        const std::uint64_t gapStart =
            before ? bits(before->address) + bits(before->sizeBytes) : bits(reservation.address);
        if (bits(b->address) > gapStart) {
            const auto bytes = static_cast<std::int64_t>(bits(b->address) - gapStart);
            use.holeBytes = addClamped(use.holeBytes, bytes);
            ++use.holeCount;
            if (bytes > use.largestHoleBytes) {
                use.largestHoleBytes = bytes;
                use.pinning = before ? std::vector{before, b} : std::vector{b};
            }
        }
        before = b;
    }
    return use;
}

}  // namespace

std::vector<ReservationUse> reservationsWithHolesAt(const Capture& capture, std::int64_t timeNs) {
    const auto mappings = mappingsAt(capture, timeNs);
    std::vector<ReservationUse> uses;
    for (const Reservation& r : capture.reservations) {
        const auto at = mappings.find(r.processId);
        if (timeNs < r.startNs || timeNs >= r.endNs || at == mappings.end()) continue;
        ReservationUse use = useOf(r, at->second);
        if (use.holeCount > 0) uses.push_back(std::move(use));
    }
    std::stable_sort(uses.begin(), uses.end(), [](const ReservationUse& a, const ReservationUse& b) {
        return a.holeBytes > b.holeBytes;
    });
    return uses;
}

}  // namespace vramscope::model
