// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <unordered_map>
#include <vector>

#include "analyzer/model/ids.h"
#include "analyzer/model/ordering_clock.h"

namespace vramscope::model {

/// A stream as the capture describes it.
struct StreamRow {
    StreamId id;
    ProcessId processId;
    ContextId contextId;
    bool isLegacy =
        false;  ///< the context's default stream, which waits for all blocking ones and they for it
    bool isBlocking = false;  ///< takes part in that; every stream that was not created as non-blocking
};

/// A call, as far as order goes.
struct OrderedCall {
    ProcessId processId;
    ThreadId threadId;
    std::int64_t enterNs = 0;
    std::int64_t exitNs = 0;
};

/// A point on a stream: everything up to the tick-th operation.
struct StreamPoint {
    StreamIndex stream = kNoStream;
    std::uint64_t tick = 0;
    std::int64_t enterNs = 0;  ///< the call that put it there began
    /// What it waited for that no record shows may be work that was issued until then.
    std::int64_t unknownUntilNs = PartialClock::kNothingUnknown;
};

/// What happened before what, as the calls define it: order within a stream, events and waits, the default
/// stream's rules, waits for values, and what the host knows to be done (synchronisations, successful
/// queries, blocking copies, frees that wait). Device order never comes from time.
///
/// To be fed one call after the other, by the time they began; waits of the host, and what becomes known by
/// them, by the time they returned. Where two threads were in calls on one stream at the same time, their
/// order is not known: every edge that could be is taken as there, and the operations count as contended. All
/// of it errs towards "ordered": an edge too many hides a fault, one too few would invent one.
class HappensBefore {
public:
    explicit HappensBefore(const std::vector<StreamRow>& streams);

    /// kNoStream when the capture does not know it.
    StreamIndex indexOf(StreamId stream) const;
    StreamId idOf(StreamIndex stream) const { return m_streams[stream].row.id; }
    ProcessId processOf(StreamIndex stream) const { return m_streams[stream].row.processId; }

    /// What became known by calls that returned until `timeNs` counts from now on. Before each call.
    void advanceTo(std::int64_t timeNs);

    /// Puts an operation on the stream.
    StreamPoint operation(StreamIndex stream, const OrderedCall& call);
    /// The one that was put there last.
    StreamPoint latest(StreamIndex stream, const OrderedCall& call) const {
        return {stream, m_streams[stream].tick, call.enterNs};
    }
    /// The host knows at the call's return that the stream has come as far as now.
    void completeAtExit(StreamIndex stream, const OrderedCall& call);

    /// An event's number is the caller's choice. A shared one can be recorded and waited for by other
    /// processes.
    void recordEvent(std::uint64_t event, StreamIndex stream, const OrderedCall& call);
    void waitForEvent(std::uint64_t event, bool isShared, StreamIndex stream, const OrderedCall& call);
    /// The event was recorded before the recording began, or by something that left no record.
    void waitForUnknownEvent(StreamIndex stream, const OrderedCall& call);
    /// The stream goes on when something happens that no record shows.
    void waitForAnything(StreamIndex stream);
    /// A stream writes the value that another waits for.
    void release(std::uint64_t address, StreamIndex stream);
    void acquire(std::uint64_t address, StreamIndex stream);
    /// A graph may record and wait for events by nodes of its own.
    void launchGraph(StreamIndex stream, const OrderedCall& call);
    /// From now on graphs are launched in this process, so that recorded events must be remembered for them.
    void expectGraphs(ProcessId process) { m_processes[process].usesGraphs = true; }

    // What the host waited for. To be called in the order of returns.
    void streamDone(StreamIndex stream, const OrderedCall& call);
    void contextDone(ContextId context, const OrderedCall& call);
    void processDone(const OrderedCall& call);
    void eventDone(std::uint64_t event, bool isShared, const OrderedCall& call);

    /// Whether `earlier`, by order of calls, and what was just put on the stream of `later` are ordered, or
    /// may be by something that is not recorded.
    bool isBefore(const StreamPoint& earlier, const StreamPoint& later) const;
    /// Whether the host knows that it is done, or may know.
    bool isDone(const StreamPoint& earlier) const;
    /// The same without the benefit of the doubt: only what is certain counts.
    bool isSurelyBefore(const StreamPoint& earlier, const StreamPoint& later) const;
    bool isSurelyDone(const StreamPoint& earlier) const {
        return earlier.tick <= m_streams[earlier.stream].doneTick;
    }
    /// Nothing was put behind it, on its stream or on one that waits for it, that could tell anybody that it
    /// is done. Events only tell those who ask for them.
    bool isUnheard(const StreamPoint& earlier) const;
    /// Two threads were ever in calls on one stream of the process at once.
    bool hasContention(ProcessId process) const;
    /// Two threads were in calls on that stream at once, so that the place of the operation in it is not
    /// sure.
    bool isContended(const StreamPoint& point) const;
    /// Numbers that were kept for events and waited-on values; a bound for callers.
    std::size_t size() const { return m_events.size() + m_values.size(); }

private:
    struct Stream {
        StreamRow row;
        std::uint64_t tick = 0;
        std::uint64_t workTick = 0;  // the last that is more than an event or a wait
        std::uint64_t doneTick = 0;  // known to the host
        std::uint64_t seenLegacyTick = 0;
        std::uint64_t unknownSerial = 0;  // waits for something unknown so far
        bool isUnseenByLegacy = false;
        PartialClock clock;
        // The latest returns of calls on it, by the thread that returned last and by any other.
        ThreadId lastThread;
        std::int64_t lastExitNs = -1;
        std::int64_t otherExitNs = -1;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> contended;  // ranges of ticks, rising
    };
    struct Context {
        StreamIndex legacy = kNoStream;
        std::vector<StreamIndex> unseenByLegacy;
        std::vector<StreamIndex> all;
    };
    struct Event {
        PartialClock clock;
        StreamIndex stream = kNoStream;
        std::uint64_t unknownSerial = 0;
        StreamIndex waiter = kNoStream;  // last stream that waited for it, and when that call returned
        ThreadId waiterThread;
        std::int64_t waiterExitNs = -1;
        // What it had recorded before the last call that recorded it, which another thread's wait may meet.
        PartialClock before;
        ThreadId recorder;
        std::int64_t recordExitNs = -1;

        /// Another thread was in a call that records it: which record this call meets is not known.
        bool isRecordedDuring(const OrderedCall& call) const {
            return recordExitNs >= call.enterNs && recorder != call.threadId;
        }
    };
    struct Process {
        std::int64_t unknownUntilNs = PartialClock::kNothingUnknown;
        bool usesGraphs = false;
        PartialClock recorded;  // all events together, for graphs
        PartialClock graphs;    // all graphs together, for events
        std::vector<StreamIndex> streams;
    };
    struct LaterKnown {
        std::int64_t timeNs;
        ProcessId processId;
        PartialClock clock;
        bool operator>(const LaterKnown& other) const { return timeNs > other.timeNs; }
    };
    using ContextKey = std::pair<ProcessId, ContextId>;

    Context& contextOf(const Stream& stream) {
        return m_contexts[{stream.row.processId, stream.row.contextId}];
    }
    void followLegacyRules(StreamIndex index);
    StreamPoint advance(StreamIndex index, const OrderedCall& call);
    void noteContention(Stream& stream, const OrderedCall& call);
    PartialClock pointOf(StreamIndex stream);
    void becomeKnown(const PartialClock& clock, ProcessId process, std::int64_t timeNs);
    void wholeStreamDone(StreamIndex stream, const OrderedCall& call);
    void forgetDoneEvents();
    void dropKnown(PartialClock& clock) const;

    std::vector<Stream> m_streams;
    std::unordered_map<std::int64_t, StreamIndex> m_indexOf;
    std::map<ContextKey, Context> m_contexts;
    std::map<ProcessId, Process> m_processes;
    std::unordered_map<std::uint64_t, Event> m_events;
    std::unordered_map<std::uint64_t, PartialClock> m_values;
    std::size_t m_eventsToForgetAt = 4096;
    std::priority_queue<LaterKnown, std::vector<LaterKnown>, std::greater<>> m_later;
};

}  // namespace vramscope::model
