// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "collector/recorder/arena_view.h"
#include "collector/recorder/pending_queue.h"

namespace vramscope::collector {

/// A published record, still lying in shared memory: it stays there until LaneReader::release() has passed
/// it.
struct PendingRecord {
    const formats::Record* record;
    std::uint32_t lane;
    std::uint8_t
        slotCount;  ///< checked against the segment's end; the record's own field is not to be read again
    std::uint64_t endPosition;  ///< slots published in this lane up to and including this record
};

/// How far a lane was consumed, as kept in the capture.
struct LanePosition {
    std::uint32_t generation = 0;
    std::uint64_t consumedSlots = 0;
};

/// Reads one lane in order. Records become visible through fetch(); their memory goes back to the job with
/// release(), which the recorder calls once what they say is committed. One thread.
class LaneReader {
public:
    LaneReader(ArenaView& arena, std::uint32_t lane) : m_arena(&arena), m_lane(lane) {}

    /// Starts behind what an earlier recorder committed for this lane. Before the first fetch().
    void resumeAt(const LanePosition& position) { m_resume = position; }

    /// Appends newly published records to `pending`. False when the lane is not in use.
    bool fetch(PendingQueue<PendingRecord>& pending);

    /// Everything up to `position` slots is committed: gives used-up segments back, and the lane itself when
    /// its thread has ended and nothing is left in it.
    void release(std::uint64_t position);

    /// The thread that rents the lane: known after a fetch() that returned true.
    std::uint32_t generation() const { return m_generation; }
    std::uint32_t tid() const { return m_tid; }
    std::uint64_t fetchedPosition() const { return m_fetched; }
    /// Segments that its thread is done with and that wait for release(), for deciding when to commit early.
    std::size_t fullSegments() const { return m_segments.empty() ? 0 : m_segments.size() - 1; }
    bool isOpen() const { return m_isOpen; }
    /// True once its thread has ended; what it published may still have to be fetched.
    bool isClosed() const;

private:
    struct HeldSegment {
        std::uint32_t index;
        std::uint64_t endPosition;  ///< position behind its last slot, once it is known to be full
        bool isFull;
    };

    bool open();
    void fetchSegment(HeldSegment& segment, PendingQueue<PendingRecord>& pending);
    bool nextSegment();

    ArenaView* m_arena;
    std::uint32_t m_lane;
    bool m_isOpen = false;
    std::uint32_t m_generation = 0;
    std::uint32_t m_tid = 0;
    std::uint32_t m_slot = 1;  ///< next slot to read in the last held segment
    std::uint64_t m_fetched = 0;
    std::optional<LanePosition> m_resume;
    std::deque<HeldSegment> m_segments;  ///< held, oldest first; the last is being read
};

}  // namespace vramscope::collector
