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
    std::uint64_t monotonicNsOf(std::uint64_t ticks) const;

    formats::ClockKind kind() const { return m_kind; }

private:
    struct Note {
        std::uint64_t ticks;
        std::uint64_t ns;
    };
    Note takeNote() const;

    formats::ClockKind m_kind;
    std::deque<Note> m_notes;  ///< oldest first, at least two
};

}  // namespace vramscope::collector
