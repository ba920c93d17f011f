// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/lane_reader.h"

namespace vramscope::collector {

using formats::LaneState;

bool LaneReader::open() {
    formats::Lane& lane = m_arena->lane(m_lane);
    const auto state = static_cast<LaneState>(lane.state.load(std::memory_order_acquire));
    if (state != LaneState::Rented && state != LaneState::Closed) return false;
    m_generation = lane.generation.load(std::memory_order_relaxed);
    m_tid = lane.tid;
    const formats::SegmentHeader* first = m_arena->segment(lane.firstSegment);
    if (first == nullptr) return false;
    m_isOpen = true;
    m_slot = 1;
    m_fetched = first->firstPosition;
    m_segments.clear();
    m_segments.push_back({lane.firstSegment, 0, false});
    return true;
}

bool LaneReader::fetch(PendingQueue<PendingRecord>& pending) {
    if (!m_isOpen && !open()) return false;
    do {
        fetchSegment(m_segments.back(), pending);
    } while (nextSegment());
    return true;
}

void LaneReader::fetchSegment(HeldSegment& segment, PendingQueue<PendingRecord>& pending) {
    formats::SegmentHeader* header = m_arena->segment(segment.index);
    if (header == nullptr) return;
    std::uint32_t published = header->publishedSlots.load(std::memory_order_acquire);
    if (published > formats::kSegmentSlots) published = formats::kSegmentSlots;
    while (m_slot < published) {
        const formats::Record* record = m_arena->slot(segment.index, m_slot);
        const std::uint8_t slots = record->header.slotCount;
        if (slots == 0 || slots > formats::kMaxRecordSlots || m_slot + slots > published) {
            // Only a job that overwrote its own ring gets here; what follows in this segment cannot be told
            // apart.
            m_fetched += published - m_slot;
            m_slot = published;
            return;
        }
        m_slot += slots;
        m_fetched += slots;
        const bool alreadyCommitted =
            m_resume && m_resume->generation == m_generation && m_fetched <= m_resume->consumedSlots;
        if (!alreadyCommitted) pending.push_back({record, m_lane, slots, m_fetched});
    }
}

bool LaneReader::nextSegment() {
    HeldSegment& current = m_segments.back();
    formats::SegmentHeader* header = m_arena->segment(current.index);
    if (header == nullptr) return false;
    const std::uint32_t next = header->next.load(std::memory_order_acquire);
    if (next == formats::kNoSegment || m_arena->segment(next) == nullptr) return false;
    // The thread linked the next segment after its last store here; what it published in between is still to
    // be read.
    const std::uint32_t published = header->publishedSlots.load(std::memory_order_acquire);
    if (m_slot < published && published <= formats::kSegmentSlots) return true;
    // A damaged chain may lead back; a lane can hold no more segments than there are.
    if (m_segments.size() > m_arena->segmentCount()) return false;
    current.endPosition = m_fetched;
    current.isFull = true;
    m_segments.push_back({next, 0, false});
    m_slot = 1;
    return true;
}

void LaneReader::release(std::uint64_t position) {
    if (!m_isOpen) return;
    while (m_segments.size() > 1 && m_segments.front().isFull && m_segments.front().endPosition <= position) {
        const std::uint32_t used = m_segments.front().index;
        m_segments.pop_front();
        // In this order: a successor of this recorder must never find a segment in the queue that is free.
        m_arena->lane(m_lane).firstSegment = m_segments.front().index;
        m_arena->freeSegment(used);
    }
    if (!isClosed() || m_segments.size() != 1 || position < m_fetched) return;
    formats::SegmentHeader* last = m_arena->segment(m_segments.front().index);
    // The thread may have gone on since the last fetch, within this segment or into further ones.
    if (last != nullptr && (m_slot < last->publishedSlots.load(std::memory_order_acquire) ||
                            last->next.load(std::memory_order_acquire) != formats::kNoSegment)) {
        return;
    }
    const std::uint32_t used = m_segments.front().index;
    m_segments.clear();
    m_isOpen = false;
    m_arena->lane(m_lane).state.store(static_cast<std::uint32_t>(LaneState::Free), std::memory_order_release);
    // Last, so that a successor never finds a closed lane whose segment is free.
    m_arena->freeSegment(used);
}

bool LaneReader::isClosed() const {
    return static_cast<LaneState>(m_arena->lane(m_lane).state.load(std::memory_order_acquire)) ==
           LaneState::Closed;
}

}  // namespace vramscope::collector
