// SPDX-License-Identifier: Apache-2.0
// Events: a point in a stream's order that others can wait for.
#include "samples/sim/event.h"

#include <unordered_set>
#include <vector>

#include "samples/sim/capture.h"
#include "samples/sim/context_objects.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/machine.h"
#include "samples/sim/pool.h"

namespace vramscope::sim {
namespace {

std::unordered_set<const void*>& events() {
    static auto* const instance = new std::unordered_set<const void*>;
    return *instance;
}

}  // namespace

Event* findEvent(CUevent handle) {
    auto* event = reinterpret_cast<Event*>(handle);
    return events().contains(event) && event->alive ? event : nullptr;
}

CUresult badEvent(CUevent handle) {
    return events().contains(handle) ? kDestroyedHandle : CUDA_ERROR_INVALID_HANDLE;
}

Event* newEvent(Context& context, unsigned int flags) {
    auto* event = new Event{&context, flags, true, nullptr, nullptr, {}, nullptr, 0, false};
    events().insert(event);
    return event;
}

void dropEvents(Context& context) {
    for (const void* entry : events()) {
        auto* event = const_cast<Event*>(static_cast<const Event*>(entry));
        if (event->context == &context) event->alive = false;
    }
}

SIM_API(Context, cuEventCreate, CUevent* handle, unsigned int flags) {
    if (!handle || flags > 7) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_VALUE;
    Event* event = newEvent(*currentContext(), flags);
    if (flags & CU_EVENT_INTERPROCESS) {
        event->shared = machine().file->newEvent();
        if (!event->shared) return CUDA_ERROR_OUT_OF_MEMORY;
        event->serial = event->shared->serial;
    }
    *handle = handleOf(event);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuEventDestroy_v2, CUevent handle) {
    Event* event = findEvent(handle);
    if (!event) return badEvent(handle);
    event->alive = false;
    if (event->shared && !event->imported) machine().file->freeEvent(*event->shared);
    return CUDA_SUCCESS;
}

bool isSharedDone(const SharedEvent& shared, uint64_t serial, uint64_t count) {
    return shared.serial != serial || shared.done.load() >= count;
}

static CUresult record(CUevent eventHandle, CUstream streamHandle) {
    Event* event = findEvent(eventHandle);
    Stream* stream = findStream(streamHandle);
    if (!event) return badEvent(eventHandle);
    if (!stream || event->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
    event->capture = stream->capture;
    event->captured.clear();
    if (stream->capture) {
        for (CUgraphNode node : stream->captureTail)
            event->captured.push_back(findNode(node));
        return CUDA_SUCCESS;
    }
    Work work;
    work.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    if (event->shared) {
        work.run = [shared = event->shared, number = ++event->shared->recorded] {
            shared->done = number;
            return CUDA_SUCCESS;
        };
    }
    event->recorded = enqueue(*stream, std::move(work));
    return CUDA_SUCCESS;
}

SIM_API(Context, cuEventRecord, CUevent event, CUstream stream) {
    return record(event, stream);
}
SIM_API_PER_THREAD(Context, cuEventRecord, _ptsz)

SIM_API(Context, cuEventRecordWithFlags, CUevent event, CUstream stream, unsigned int flags) {
    return flags > CU_EVENT_RECORD_EXTERNAL ? CUDA_ERROR_INVALID_VALUE : record(event, stream);
}
SIM_API_PER_THREAD(Context, cuEventRecordWithFlags, _ptsz)

SIM_API(Context, cuStreamWaitEvent, CUstream streamHandle, CUevent eventHandle, unsigned int flags) {
    Stream* stream = findStream(streamHandle);
    const Event* event = findEvent(eventHandle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!event) return badEvent(eventHandle);
    if (flags > CU_EVENT_WAIT_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    if (event->capture) return joinCapture(*stream, *event->capture, event->captured);
    if (stream->capture) return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    Work work;
    work.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    // What was recorded by now counts; a later record does not move the wait.
    if (event->shared) {
        work.ready = [shared = event->shared, serial = event->serial,
                      count = event->shared->recorded.load()] {
            return isSharedDone(*shared, serial, count);
        };
    } else if (event->recorded) {
        work.after.push_back(event->recorded);
    }
    enqueue(*stream, std::move(work));
    return CUDA_SUCCESS;
}
SIM_API_PER_THREAD(Context, cuStreamWaitEvent, _ptsz)

SIM_API(Context, cuEventQuery, CUevent handle) {
    const Event* event = findEvent(handle);
    if (!event) return badEvent(handle);
    if (!event->recorded && !event->shared) return CUDA_SUCCESS;
    makeProgress();
    if (event->context->stickyError) return event->context->stickyError;
    if (event->shared) {
        const bool done = isSharedDone(*event->shared, event->serial, event->shared->recorded);
        return done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    }
    return event->recorded->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

SIM_API(Context, cuEventSynchronize, CUevent handle) {
    const Event* event = findEvent(handle);
    if (!event) return badEvent(handle);
    if (event->shared) {
        finishWhen([shared = event->shared, serial = event->serial, count = event->shared->recorded.load()] {
            return isSharedDone(*shared, serial, count);
        });
        return event->context->stickyError;
    }
    if (!event->recorded) return CUDA_SUCCESS;
    const CUresult result = finish(event->recorded, *event->context);
    trimPoolsAfterSync(event->context->device);
    return result;
}

static CUresult elapsed(float* milliseconds, CUevent startHandle, CUevent endHandle) {
    const Event* start = findEvent(startHandle);
    const Event* end = findEvent(endHandle);
    if (!milliseconds) return CUDA_ERROR_INVALID_VALUE;
    if (!start || !end || !start->recorded || !end->recorded) return CUDA_ERROR_INVALID_HANDLE;
    if ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
    if (!start->recorded->done || !end->recorded->done) return CUDA_ERROR_NOT_READY;
    *milliseconds = float(double(int64_t(end->recorded->doneNs - start->recorded->doneNs)) / 1e6);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuEventElapsedTime, float* milliseconds, CUevent start, CUevent end) {
    return elapsed(milliseconds, start, end);
}
SIM_API(Context, cuEventElapsedTime_v2, float* milliseconds, CUevent start, CUevent end) {
    return elapsed(milliseconds, start, end);
}

}  // namespace vramscope::sim
