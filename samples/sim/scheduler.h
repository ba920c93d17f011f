// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "samples/sim/context.h"
#include "samples/sim/driver_table.h"

namespace vramscope::sim {

/// A point in a stream's order; done when all work before it has been done.
struct Mark {
    bool done = false;
    uint64_t doneNs = 0;  ///< CLOCK_MONOTONIC when it was done
};
using MarkPointer = std::shared_ptr<Mark>;

struct NodeDetails;

/// One piece of device work. It must own copies of all it needs: it runs long after the call that made it.
struct Work {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    std::function<CUresult()> run;  ///< null for pure ordering; an error becomes the context's sticky error
    std::function<bool()> ready;    ///< null, or asked until it is true (wait-value)
    bool onHost = false;            ///< a host function: runs on the driver's own thread, without the lock
    bool runsAfterError = false;    ///< a stream callback: also called when the context has failed
    std::vector<MarkPointer> after;
    MarkPointer mark;
    LaunchPatch patch;                           ///< of a kernel, when a tool wants to know what it touches
    std::shared_ptr<const NodeDetails> details;  ///< null where nobody can ask
};

struct Graph;

/// A stream: work in order. Never deleted, so that a stale handle is recognised; guarded by the driver's
/// lock.
struct Stream {
    Context* context = nullptr;
    uint32_t id = 0;
    unsigned int flags = 0;
    int priority = 0;
    bool alive = true;
    bool legacy = false;
    bool explicitHandle = false;  ///< made by the program, not one of the implicit streams
    bool busy = false;            ///< its first work is running on the host thread
    std::deque<Work> queue;
    MarkPointer tail;          ///< the last work's; null before the first
    Graph* capture = nullptr;  ///< the graph being captured into
    bool captureBroken = false;
    CUstreamCaptureMode captureMode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    std::vector<CUgraphNode> captureTail;

    bool blocking() const { return !legacy && !(flags & CU_STREAM_NON_BLOCKING); }
};

inline CUstream handleOf(Stream* stream) {
    return reinterpret_cast<CUstream>(stream);
}

Stream* newStream(Context& context, unsigned int flags, int priority);
/// The stream that a handle means to this call: 0, 1 and 2 are the implicit streams. Null for a handle that
/// is none or dead.
Stream* findStream(CUstream handle);

/// Puts work at the end of a stream, after what the legacy stream's rules put before it. Nothing runs yet,
/// unless very much is waiting. While the stream is captured it becomes a graph node instead and the mark is
/// done. Called with the driver's lock.
MarkPointer enqueue(Stream& stream, Work work);
/// A mark for all that is in the stream now; done already when the stream is empty.
MarkPointer markOf(Stream& stream);

/// Runs work, picking among the streams that can go on by the seed, until `mark` is done; gives the context's
/// error. Drops the lock while host functions run. Blocks while only another thread or process can move
/// things on.
CUresult finish(const MarkPointer& mark, Context& context);
CUresult finishContext(Context& context);
/// Runs work likewise until `condition` holds, which another process may bring about.
void finishWhen(const std::function<bool()>& condition);
/// Gives the device a little time, for a query: runs a few pieces of work if any can run.
void makeProgress();
/// Drops all waiting work of a dead or failed context.
void abandonWork(Context& context);

/// True on the thread that runs host functions, while it runs one: driver calls are refused there.
bool inHostFunction();

uint64_t nowNs();

}  // namespace vramscope::sim
