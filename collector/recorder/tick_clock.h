// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "formats/job_clock.h"

namespace vramscope::collector {

/// The clock for a session on this machine: the processor's counter where the kernel itself trusts it as its
/// clock source (then it runs at one rate and in step on all processors), else CLOCK_MONOTONIC.
formats::ClockKind bestClock();

/// Turns the job's ticks into CLOCK_MONOTONIC nanoseconds. Each now() notes how both clocks stood; times in
/// between are interpolated, so the mapping never runs backwards and follows the kernel's corrections. One
/// thread.
class TickClock {
public:
    explicit TickClock(formats::ClockKind kind);

    /// How both clocks stood at an earlier moment, for ticks of before this object was made.
    void addOldNote(std::uint64_t ticks, std::uint64_t monotonicNs);

    /// The present tick. Ticks up to it can be converted from here on.
    std::uint64_t now();

    /// Ticks before the first note or after the last are extrapolated.
    std::uint64_t monotonicNsOf(std::uint64_t ticks) const {
        if (m_kind == formats::ClockKind::Monotonic) return ticks;
        // Nearly all stamps are of the last interval; they are asked for twice an event.
        return ticks >= m_last.from.ticks ? m_last.nsOf(ticks) : olderNsOf(ticks);
    }

    formats::ClockKind kind() const { return m_kind; }

private:
    struct Note {
        std::uint64_t ticks;
        std::uint64_t ns;
    };
    /// Two neighbouring notes.
    struct Interval {
        Note from;
        double nsPerTick;
        Interval() = default;
        Interval(const Note& first, const Note& second)
            : from(first),
              nsPerTick(static_cast<double>(second.ns - first.ns) /
                        static_cast<double>(second.ticks - first.ticks)) {}
        std::uint64_t nsOf(std::uint64_t ticks) const {
            const auto distance = static_cast<double>(static_cast<std::int64_t>(ticks - from.ticks));
            return from.ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(distance * nsPerTick));
        }
    };
    Note takeNote() const;
    std::uint64_t olderNsOf(std::uint64_t ticks) const;
    void addNote(const Note& note);

    formats::ClockKind m_kind;
    std::deque<Note> m_notes;  ///< oldest first, at least two
    Interval m_last{};         ///< between the last two of them
};

}  // namespace vramscope::collector
