// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/scheduler.h"

#include <algorithm>
#include <ctime>
#include <random>
#include <unordered_set>
#include <utility>

#include "samples/sim/capture.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/fault_guard.h"
#include "samples/sim/host_thread.h"
#include "samples/sim/launch_watch.h"
#include "samples/sim/machine.h"

namespace vramscope::sim {
namespace {

// A real queue is finite, too: a launch waits when about a thousand are ahead of it.
constexpr size_t kWaitingLimit = 1024;
constexpr int kStepsForQuery = 4;

struct Scheduler {
    std::vector<Stream*> withWork;
    size_t waiting = 0;
    std::unordered_set<const void*> streams;
    std::mt19937_64 random{machine().settings.seed};
};

Scheduler& scheduler() {
    static Scheduler* const instance = new Scheduler;
    return *instance;
}

bool canRun(const Stream& stream) {
    if (stream.busy || stream.queue.empty()) return false;
    const Work& work = stream.queue.front();
    const bool ordered =
        std::all_of(work.after.begin(), work.after.end(), [](const MarkPointer& mark) { return mark->done; });
    return ordered && (!work.ready || stream.context->stickyError || work.ready());
}

void complete(Stream& stream, const MarkPointer& mark) {
    mark->done = true;
    mark->doneNs = nowNs();
    stream.queue.pop_front();
    --scheduler().waiting;
    if (stream.queue.empty()) std::erase(scheduler().withWork, &stream);
    announceChange();
}

void runFirst(Stream& stream) {
    Work& work = stream.queue.front();
    const MarkPointer mark = work.mark;
    if (!work.run || (stream.context->stickyError && !work.runsAfterError)) {
        complete(stream, mark);
    } else if (work.onHost) {
        stream.busy = true;
        auto run = std::move(work.run);
        runOnHostThread([run = std::move(run)] { run(); },
                        [&stream, mark] {
                            stream.busy = false;
                            complete(stream, mark);
                        });
    } else {
        setRunningPatch(work.patch);
        const CUresult result = runGuarded(work.run);
        setRunningPatch({});
        if (result != CUDA_SUCCESS) stream.context->stickyError = result;
        complete(stream, mark);
    }
}

MarkPointer doneMark() {
    auto mark = std::make_shared<Mark>();
    mark->done = true;
    mark->doneNs = nowNs();
    return mark;
}

/// Runs one piece of work of a stream that can go on; false when there is none.
bool step() {
    std::vector<Stream*> ready;
    for (Stream* stream : scheduler().withWork) {
        if (canRun(*stream)) ready.push_back(stream);
    }
    if (ready.empty()) return false;
    runFirst(*ready[scheduler().random() % ready.size()]);
    return true;
}

}  // namespace

uint64_t nowNs() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

Stream* newStream(Context& context, unsigned int flags, int priority) {
    auto* stream = new Stream;
    stream->context = &context;
    stream->id = ++context.streamCount;
    stream->flags = flags;
    stream->priority = priority;
    context.streams.insert(stream);
    scheduler().streams.insert(stream);
    return stream;
}

Stream* findStream(CUstream handle) {
    Context* context = currentContext();
    const bool perThread = handle == CU_STREAM_PER_THREAD || (!handle && callUsesPerThreadStream());
    if (perThread) {
        thread_local std::vector<std::pair<Context*, Stream*>> own;
        for (const auto& [owner, stream] : own) {
            if (owner == context && stream->alive) return stream;
        }
        own.emplace_back(context, newStream(*context, CU_STREAM_DEFAULT, 0));
        return own.back().second;
    }
    if (!handle || handle == CU_STREAM_LEGACY) return context->legacyStream;
    auto* stream = reinterpret_cast<Stream*>(handle);
    return scheduler().streams.contains(stream) && stream->alive ? stream : nullptr;
}

MarkPointer enqueue(Stream& stream, Work work) {
    if (stream.capture) {
        captureWork(stream, std::move(work));
        return doneMark();
    }
    Scheduler& self = scheduler();
    startHostThread();
    while (self.waiting >= kWaitingLimit && step()) {
    }
    Context& context = *stream.context;
    for (Stream* other : context.streams) {
        const bool ordered = stream.legacy ? other->blocking() : stream.blocking() && other->legacy;
        if (ordered && other->tail && !other->tail->done) work.after.push_back(other->tail);
    }
    work.mark = std::make_shared<Mark>();
    stream.tail = work.mark;
    if (stream.queue.empty()) self.withWork.push_back(&stream);
    stream.queue.push_back(std::move(work));
    ++self.waiting;
    return stream.tail;
}

MarkPointer markOf(Stream& stream) {
    return stream.tail ? stream.tail : doneMark();
}

CUresult finish(const MarkPointer& mark, Context& context) {
    while (!mark->done) {
        if (!step()) waitForChange();
    }
    return context.stickyError;
}

void finishWhen(const std::function<bool()>& condition) {
    while (!condition()) {
        if (!step()) waitForChange();
    }
}

CUresult finishContext(Context& context) {
    // By position, not by iterator: the set may grow while the lock is dropped for a host function.
    std::vector<MarkPointer> marks;
    for (Stream* stream : context.streams) {
        if (stream->tail) marks.push_back(stream->tail);
    }
    for (const MarkPointer& mark : marks)
        finish(mark, context);
    return context.stickyError;
}

void makeProgress() {
    for (int i = 0; i < kStepsForQuery && step(); ++i) {
    }
}

void abandonWork(Context& context) {
    for (Stream* stream : context.streams) {
        while (!stream->queue.empty() && !stream->busy)
            complete(*stream, stream->queue.front().mark);
    }
}

}  // namespace vramscope::sim
