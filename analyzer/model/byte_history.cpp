// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/byte_history.h"

#include <algorithm>

namespace vramscope::model {
namespace {

/// A write tells more than a read, and a copy or set more than a launch, which may not have used its pointer.
int weightOf(const OrderedAccess& access) {
    if (access.action == OrderedAction::Launch) return 0;
    return access.action == OrderedAction::Write ? 2 : 1;
}

}  // namespace

void ByteHistory::offer(std::optional<Rival>& best, const HappensBefore& order, const StreamPoint& later,
                        const OrderedAccess& rival, ByteRange bytes) {
    if (best && weightOf(best->access) > weightOf(rival)) return;
    const bool isOrdered =
        later.stream == kNoStream ? order.isDone(rival.point) : order.isBefore(rival.point, later);
    if (isOrdered) return;
    const bool isNewer =
        !best || weightOf(best->access) < weightOf(rival) || best->access.point.enterNs < rival.point.enterNs;
    if (isNewer) best = Rival{rival, bytes};
}

void ByteHistory::findRivals(std::optional<Rival>& best, const HappensBefore& order,
                             const OrderedAccess& access, ByteRange bytes) const {
    const auto overlap = [&](std::uint64_t first, std::uint64_t end) {
        return ByteRange{std::max(first, bytes.first), std::min(end, bytes.end)};
    };
    auto segment = m_segments.upper_bound(bytes.first);
    if (segment != m_segments.begin() && std::prev(segment)->second.end > bytes.first) --segment;
    for (; segment != m_segments.end() && segment->first < bytes.end; ++segment) {
        const ByteRange both = overlap(segment->first, segment->second.end);
        if (segment->second.write) offer(best, order, access.point, *segment->second.write, both);
        if (access.action == OrderedAction::Read) continue;
        for (const OrderedAccess& read : segment->second.reads)
            offer(best, order, access.point, read, both);
    }
    // Two launches with one pointer may both only read.
    if (access.action == OrderedAction::Launch) return;
    for (auto at = m_arguments.lower_bound({bytes.first, 0}); at != m_arguments.end(); ++at) {
        const std::uint64_t offset = at->first.first;
        if (offset >= bytes.end) break;
        offer(best, order, access.point, at->second, {offset, offset + 1});
    }
}

std::optional<Rival> ByteHistory::touch(const HappensBefore& order, const OrderedAccess& access,
                                        ByteRange bytes) {
    std::optional<Rival> rival;
    if (bytes.first >= bytes.end) return rival;
    findRivals(rival, order, access, bytes);
    switch (access.action) {
        case OrderedAction::Launch:
            m_arguments[{bytes.first, access.point.stream}] = access;
            break;
        case OrderedAction::Write:
            addWrite(access, bytes);
            break;
        default:
            addRead(access, bytes);
    }
    return rival;
}

std::optional<Rival> ByteHistory::end(const HappensBefore& order, const StreamPoint& free,
                                      std::optional<ProcessId> only) const {
    std::optional<Rival> rival;
    const auto consider = [&](const OrderedAccess& access, ByteRange bytes) {
        if (!only || order.processOf(access.point.stream) == *only) offer(rival, order, free, access, bytes);
    };
    for (const auto& [first, segment] : m_segments) {
        if (segment.write) consider(*segment.write, {first, segment.end});
        for (const OrderedAccess& read : segment.reads)
            consider(read, {first, segment.end});
    }
    for (const auto& [key, access] : m_arguments)
        consider(access, {key.first, key.first + 1});
    return rival;
}

ByteHistory::Segments::iterator ByteHistory::split(std::uint64_t at) {
    auto next = m_segments.lower_bound(at);
    if (next != m_segments.end() && next->first == at) return next;
    if (next == m_segments.begin()) return next;
    const auto before = std::prev(next);
    if (before->second.end <= at) return next;
    Segment rest = before->second;
    before->second.end = at;
    m_readCount += rest.reads.size();
    return m_segments.emplace_hint(next, at, std::move(rest));
}

void ByteHistory::addWrite(const OrderedAccess& access, ByteRange bytes) {
    split(bytes.end);
    auto at = split(bytes.first);
    while (at != m_segments.end() && at->first < bytes.end) {
        m_readCount -= at->second.reads.size();
        at = m_segments.erase(at);
    }
    m_segments.emplace_hint(at, bytes.first, Segment{bytes.end, access, {}});
}

void ByteHistory::noteRead(Segment& segment, const OrderedAccess& access) {
    for (OrderedAccess& read : segment.reads) {
        if (read.point.stream != access.point.stream) continue;
        read = access;
        return;
    }
    segment.reads.push_back(access);
    ++m_readCount;
}

void ByteHistory::addRead(const OrderedAccess& access, ByteRange bytes) {
    split(bytes.end);
    auto at = split(bytes.first);
    std::uint64_t next = bytes.first;
    while (next < bytes.end) {
        if (at == m_segments.end() || at->first > next) {
            const std::uint64_t end = at == m_segments.end() ? bytes.end : std::min(at->first, bytes.end);
            at = m_segments.emplace_hint(at, next, Segment{end, std::nullopt, {}});
        }
        noteRead(at->second, access);
        next = at->second.end;
        ++at;
    }
}

void ByteHistory::forgetDone(const HappensBefore& order) {
    const auto isOver = [&](const OrderedAccess& access) { return order.isDone(access.point); };
    m_readCount = 0;
    for (auto at = m_segments.begin(); at != m_segments.end();) {
        Segment& segment = at->second;
        if (segment.write && isOver(*segment.write)) segment.write.reset();
        std::erase_if(segment.reads, isOver);
        m_readCount += segment.reads.size();
        at = !segment.write && segment.reads.empty() ? m_segments.erase(at) : std::next(at);
    }
    std::erase_if(m_arguments, [&](const auto& entry) { return isOver(entry.second); });
}

}  // namespace vramscope::model
