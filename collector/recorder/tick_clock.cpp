// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/tick_clock.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace vramscope::collector {

namespace {

// A minute of notes at the recorder's pace; older ticks are only met in the ring of a process that was
// stopped meanwhile.
constexpr std::size_t kMostNotes = 12'000;

}  // namespace

formats::ClockKind bestClock() {
    std::ifstream source("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string name;
    source >> name;
    const bool isCounter = name == "tsc" || name == "arch_sys_counter";
    return isCounter ? formats::ClockKind::Counter : formats::ClockKind::Monotonic;
}

TickClock::TickClock(formats::ClockKind kind) : m_kind(kind) {
    m_notes.push_back(takeNote());
    // Two notes give a rate. A few milliseconds apart, so that the time it takes to read both does not bend
    // it.
    if (kind == formats::ClockKind::Counter) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    addNote(takeNote());
}

void TickClock::addNote(const Note& note) {
    m_last = {m_notes.back(), note};
    m_notes.push_back(note);
    if (m_notes.size() > kMostNotes) m_notes.pop_front();
}

TickClock::Note TickClock::takeNote() const {
    // The best of three: a thread that is preempted between the readings would pair times that do not belong
    // together.
    Note best{};
    std::uint64_t bestSpread = ~0ull;
    for (int i = 0; i < 3; ++i) {
        const std::uint64_t before = formats::readTicks(m_kind);
        const std::uint64_t ns = formats::monotonicNs();
        const std::uint64_t after = formats::readTicks(m_kind);
        if (after - before >= bestSpread) continue;
        bestSpread = after - before;
        best = {before + (after - before) / 2, ns};
    }
    return best;
}

std::uint64_t TickClock::now() {
    if (m_kind == formats::ClockKind::Monotonic) return formats::monotonicNs();
    const Note note = takeNote();
    if (note.ticks > m_notes.back().ticks && note.ns > m_notes.back().ns) addNote(note);
    return m_notes.back().ticks;
}

void TickClock::addOldNote(std::uint64_t ticks, std::uint64_t monotonicNs) {
    const Note& oldest = m_notes.front();
    if (ticks < oldest.ticks && monotonicNs < oldest.ns) m_notes.push_front({ticks, monotonicNs});
}

std::uint64_t TickClock::olderNsOf(std::uint64_t ticks) const {
    const auto after =
        std::lower_bound(m_notes.begin() + 1, m_notes.end() - 1, ticks,
                         [](const Note& note, std::uint64_t value) { return note.ticks < value; });
    return Interval(*(after - 1), *after).nsOf(ticks);
}

}  // namespace vramscope::collector
