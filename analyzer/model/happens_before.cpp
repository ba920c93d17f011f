// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/happens_before.h"

#include <algorithm>

#include "analyzer/model/amounts.h"

namespace vramscope::model {
namespace {

/// More separate places than this where threads met on one stream, and the whole stream counts as contended.
constexpr std::size_t kMostContendedRanges = 4096;

}  // namespace

HappensBefore::HappensBefore(const std::vector<StreamRow>& streams) {
    m_streams.reserve(streams.size());
    for (const StreamRow& row : streams) {
        const auto index = static_cast<StreamIndex>(m_streams.size());
        if (!m_indexOf.emplace(row.id.value, index).second) continue;
        m_streams.emplace_back().row = row;
        Context& context = m_contexts[{row.processId, row.contextId}];
        context.all.push_back(index);
        if (row.isLegacy && context.legacy == kNoStream) context.legacy = index;
        m_processes[row.processId].streams.push_back(index);
    }
}

StreamIndex HappensBefore::indexOf(StreamId stream) const {
    const auto found = m_indexOf.find(stream.value);
    return found != m_indexOf.end() ? found->second : kNoStream;
}

void HappensBefore::advanceTo(std::int64_t timeNs) {
    while (!m_later.empty() && m_later.top().timeNs <= timeNs) {
        const LaterKnown& known = m_later.top();
        becomeKnown(known.clock, known.processId, known.timeNs);
        m_later.pop();
    }
}

void HappensBefore::followLegacyRules(StreamIndex index) {
    Stream& stream = m_streams[index];
    if (!stream.row.isLegacy && !stream.row.isBlocking) return;
    Context& context = contextOf(stream);
    if (index == context.legacy) {
        for (const StreamIndex blocking : context.unseenByLegacy) {
            m_streams[blocking].isUnseenByLegacy = false;
            stream.clock.join(pointOf(blocking));
        }
        context.unseenByLegacy.clear();
        return;
    }
    if (!stream.isUnseenByLegacy) {
        stream.isUnseenByLegacy = true;
        context.unseenByLegacy.push_back(index);
    }
    if (context.legacy == kNoStream) return;
    const Stream& legacy = m_streams[context.legacy];
    if (legacy.tick == stream.seenLegacyTick) return;
    stream.seenLegacyTick = legacy.tick;
    stream.clock.join(pointOf(context.legacy));
}

void HappensBefore::noteContention(Stream& stream, const OrderedCall& call) {
    const std::int64_t others = stream.lastThread == call.threadId ? stream.otherExitNs : stream.lastExitNs;
    if (others >= call.enterNs && stream.tick > 1) {
        // The call that is not over stands at one of the last places; from the first of them on all are
        // unsure.
        const std::uint64_t first = stream.tick - 1;
        if (!stream.contended.empty() && stream.contended.back().second + 1 >= first)
            stream.contended.back().second = stream.tick;
        else
            stream.contended.emplace_back(first, stream.tick);
        if (stream.contended.size() > kMostContendedRanges) stream.contended = {{0, ~std::uint64_t{0} - 1}};
    }
    if (stream.lastThread == call.threadId) {
        stream.lastExitNs = std::max(stream.lastExitNs, call.exitNs);
    } else if (call.exitNs >= stream.lastExitNs) {
        stream.otherExitNs = stream.lastExitNs;
        stream.lastThread = call.threadId;
        stream.lastExitNs = call.exitNs;
    } else {
        stream.otherExitNs = std::max(stream.otherExitNs, call.exitNs);
    }
}

StreamPoint HappensBefore::operation(StreamIndex index, const OrderedCall& call) {
    const StreamPoint point = advance(index, call);
    m_streams[index].workTick = point.tick;
    return point;
}

StreamPoint HappensBefore::advance(StreamIndex index, const OrderedCall& call) {
    followLegacyRules(index);
    Stream& stream = m_streams[index];
    ++stream.tick;
    noteContention(stream, call);
    return {index, stream.tick, call.enterNs, stream.clock.unknownUntilNs()};
}

PartialClock HappensBefore::pointOf(StreamIndex index) {
    Stream& stream = m_streams[index];
    dropKnown(stream.clock);
    PartialClock point = stream.clock;
    if (stream.tick > stream.doneTick) point.raise(index, stream.tick);
    return point;
}

void HappensBefore::dropKnown(PartialClock& clock) const {
    clock.dropKnown(
        [this](StreamIndex stream, std::uint64_t tick) { return tick <= m_streams[stream].doneTick; });
}

void HappensBefore::completeAtExit(StreamIndex stream, const OrderedCall& call) {
    m_later.push({call.exitNs, call.processId, pointOf(stream)});
}

void HappensBefore::recordEvent(std::uint64_t number, StreamIndex stream, const OrderedCall& call) {
    Process& process = m_processes[call.processId];
    Event& event = m_events[number];
    const bool isAnotherUnderWay = event.isRecordedDuring(call);
    PartialClock before = event.clock;
    if (isAnotherUnderWay) before.join(event.before);
    event.before = std::move(before);
    event.recorder = isAnotherUnderWay ? ThreadId() : call.threadId;
    event.recordExitNs = isAnotherUnderWay ? std::max(event.recordExitNs, call.exitNs) : call.exitNs;
    if (stream == kNoStream) {
        event.clock.clear();
        event.clock.addUnknown(call.exitNs);
    } else {
        advance(stream, call);
        event.clock = pointOf(stream);
        event.unknownSerial = m_streams[stream].unknownSerial;
    }
    event.stream = stream;
    if (process.usesGraphs) process.recorded.join(event.clock);
    // Another thread was still in its wait for this event: it may have waited for this record.
    if (event.waiter != kNoStream && event.waiterExitNs >= call.enterNs &&
        event.waiterThread != call.threadId)
        m_streams[event.waiter].clock.join(event.clock);
    if (m_events.size() >= m_eventsToForgetAt) forgetDoneEvents();
}

void HappensBefore::forgetDoneEvents() {
    // To wait for what is known to be done orders nothing, as to wait for what was never recorded.
    for (auto at = m_events.begin(); at != m_events.end();) {
        const auto holdsNothing = [&](PartialClock& clock) {
            dropKnown(clock);
            return clock.entries().empty() && !clock.hasUnknown();
        };
        const bool isDone = holdsNothing(at->second.clock) && holdsNothing(at->second.before);
        at = isDone ? m_events.erase(at) : std::next(at);
    }
    m_eventsToForgetAt = std::max<std::size_t>(4096, 2 * m_events.size());
}

void HappensBefore::waitForEvent(std::uint64_t number, bool isShared, StreamIndex index,
                                 const OrderedCall& call) {
    advance(index, call);
    Stream& stream = m_streams[index];
    if (isShared) {
        stream.clock.addUnknown(call.exitNs);
        ++stream.unknownSerial;
    }
    const Process& process = m_processes[call.processId];
    if (process.usesGraphs) stream.clock.join(process.graphs);
    Event& event = m_events[number];
    event.waiter = index;
    event.waiterThread = call.threadId;
    event.waiterExitNs = call.exitNs;
    if (event.clock.hasUnknown()) ++stream.unknownSerial;
    stream.clock.join(event.clock);
    if (!event.isRecordedDuring(call)) return;
    if (event.before.hasUnknown()) ++stream.unknownSerial;
    stream.clock.join(event.before);
}

void HappensBefore::waitForUnknownEvent(StreamIndex index, const OrderedCall& call) {
    advance(index, call);
    m_streams[index].clock.addUnknown(call.exitNs);
    ++m_streams[index].unknownSerial;
}

void HappensBefore::waitForAnything(StreamIndex index) {
    m_streams[index].clock.addUnknown(kNever);
    ++m_streams[index].unknownSerial;
}

void HappensBefore::release(std::uint64_t address, StreamIndex stream) {
    m_values[address].join(pointOf(stream));
}

void HappensBefore::acquire(std::uint64_t address, StreamIndex stream) {
    const auto found = m_values.find(address);
    if (found == m_values.end()) return;
    dropKnown(found->second);
    if (found->second.hasUnknown()) ++m_streams[stream].unknownSerial;
    m_streams[stream].clock.join(found->second);
}

void HappensBefore::launchGraph(StreamIndex index, const OrderedCall& call) {
    Process& process = m_processes[call.processId];
    dropKnown(process.recorded);
    if (process.recorded.hasUnknown()) ++m_streams[index].unknownSerial;
    m_streams[index].clock.join(process.recorded);
    operation(index, call);
    dropKnown(process.graphs);
    process.graphs.join(pointOf(index));
}

void HappensBefore::becomeKnown(const PartialClock& clock, ProcessId processId, std::int64_t timeNs) {
    for (const auto& [stream, tick] : clock.entries())
        m_streams[stream].doneTick = std::max(m_streams[stream].doneTick, tick);
    if (!clock.hasUnknown()) return;
    // Whatever it was that was waited for, it is over by now; and others may know from it what we do not.
    for (auto& [id, process] : m_processes) {
        const std::int64_t untilNs = id == processId ? std::min(clock.unknownUntilNs(), timeNs) : timeNs;
        process.unknownUntilNs = std::max(process.unknownUntilNs, untilNs);
    }
}

void HappensBefore::wholeStreamDone(StreamIndex index, const OrderedCall& call) {
    becomeKnown(pointOf(index), call.processId, call.exitNs);
    m_streams[index].clock.clear();
}

void HappensBefore::streamDone(StreamIndex index, const OrderedCall& call) {
    const Stream& stream = m_streams[index];
    if (index == contextOf(stream).legacy) {
        for (const StreamIndex other : contextOf(stream).all) {
            if (m_streams[other].row.isBlocking) wholeStreamDone(other, call);
        }
    }
    wholeStreamDone(index, call);
}

void HappensBefore::contextDone(ContextId context, const OrderedCall& call) {
    const auto found = m_contexts.find({call.processId, context});
    if (found == m_contexts.end()) return processDone(call);
    for (const StreamIndex stream : found->second.all)
        wholeStreamDone(stream, call);
}

void HappensBefore::processDone(const OrderedCall& call) {
    for (const StreamIndex stream : m_processes[call.processId].streams)
        wholeStreamDone(stream, call);
}

void HappensBefore::eventDone(std::uint64_t number, bool isShared, const OrderedCall& call) {
    Process& process = m_processes[call.processId];
    if (process.usesGraphs) becomeKnown(process.graphs, call.processId, call.exitNs);
    if (isShared) {
        PartialClock unknown;
        unknown.addUnknown(call.exitNs);
        becomeKnown(unknown, call.processId, call.exitNs);
    }
    const auto found = m_events.find(number);
    if (found == m_events.end()) return;
    Event& event = found->second;
    if (event.isRecordedDuring(call)) becomeKnown(event.before, call.processId, call.exitNs);
    becomeKnown(event.clock, call.processId, call.exitNs);
    event.clock.clear();
    if (event.stream == kNoStream) return;
    Stream& stream = m_streams[event.stream];
    if (stream.unknownSerial == event.unknownSerial) stream.clock.forgetUnknown();
}

bool HappensBefore::isDone(const StreamPoint& earlier) const {
    const Stream& stream = m_streams[earlier.stream];
    if (earlier.tick <= stream.doneTick) return true;
    const auto process = m_processes.find(stream.row.processId);
    return process != m_processes.end() && earlier.enterNs < process->second.unknownUntilNs;
}

bool HappensBefore::isBefore(const StreamPoint& earlier, const StreamPoint& later) const {
    if (earlier.stream == later.stream || isDone(earlier)) return true;
    // A stream may have been told to wait first, for what another does by a call that came later.
    if (later.enterNs < earlier.unknownUntilNs) return true;
    const PartialClock& clock = m_streams[later.stream].clock;
    return earlier.tick <= clock.at(earlier.stream) || earlier.enterNs < clock.unknownUntilNs();
}

bool HappensBefore::isSurelyBefore(const StreamPoint& earlier, const StreamPoint& later) const {
    if (earlier.stream == later.stream) return earlier.tick <= later.tick;
    if (isSurelyDone(earlier)) return true;
    // The clock is that of the latest operation there; what it knows now and `later` did not know was waited
    // for behind it.
    const Stream& stream = m_streams[later.stream];
    return later.tick == stream.tick && earlier.tick <= stream.clock.at(earlier.stream);
}

bool HappensBefore::isUnheard(const StreamPoint& earlier) const {
    if (m_streams[earlier.stream].workTick > earlier.tick) return false;
    for (StreamIndex other = 0; other < m_streams.size(); ++other) {
        const PartialClock& clock = m_streams[other].clock;
        const bool hasHeard =
            clock.at(earlier.stream) >= earlier.tick || clock.unknownUntilNs() > earlier.enterNs;
        if (other != earlier.stream && hasHeard) return false;
    }
    return true;
}

bool HappensBefore::hasContention(ProcessId process) const {
    return std::any_of(m_streams.begin(), m_streams.end(), [&](const Stream& stream) {
        return stream.row.processId == process && !stream.contended.empty();
    });
}

bool HappensBefore::isContended(const StreamPoint& point) const {
    const auto& ranges = m_streams[point.stream].contended;
    const auto after =
        std::upper_bound(ranges.begin(), ranges.end(), point.tick,
                         [](std::uint64_t tick, const auto& range) { return tick < range.first; });
    return after != ranges.begin() && point.tick <= std::prev(after)->second;
}

}  // namespace vramscope::model
