// SPDX-License-Identifier: Apache-2.0
// Streams: make, destroy, ask, wait; host functions; values written and waited for.
#include "samples/sim/callback_dispatch.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/host_thread.h"
#include "samples/sim/memory_access.h"
#include "samples/sim/pool.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {

static CUresult create(CUstream* handle, unsigned int flags, int priority) {
    if (!handle || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    Stream* stream = newStream(*currentContext(), flags, priority);
    stream->explicitHandle = true;
    *handle = handleOf(stream);
    CUcontext context = handleOf(stream->context);
    Unlocked unlocked;
    raiseResource(CUPTI_CBID_RESOURCE_STREAM_CREATED, context, handleOf(stream));
    return CUDA_SUCCESS;
}

SIM_API(Context, cuStreamCreate, CUstream* stream, unsigned int flags) {
    return create(stream, flags, 0);
}

SIM_API(Context, cuStreamCreateWithPriority, CUstream* stream, unsigned int flags, int priority) {
    return create(stream, flags, priority);
}

SIM_API(Context, cuStreamDestroy_v2, CUstream handle) {
    Stream* stream = findStream(handle);
    if (!stream || !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    {
        Unlocked unlocked;
        raiseResource(CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, handleOf(stream->context), handle);
    }
    // Its work goes on; only the handle is dead.
    stream->alive = false;
    return CUDA_SUCCESS;
}

SIM_API(Context, cuStreamQuery, CUstream handle) {
    Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    makeProgress();
    if (stream->context->stickyError) return stream->context->stickyError;
    return markOf(*stream)->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
SIM_API_PER_THREAD(Context, cuStreamQuery, _ptsz)

SIM_API(Context, cuStreamSynchronize, CUstream handle) {
    Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    const CUresult result = finish(markOf(*stream), *stream->context);
    trimPoolsAfterSync(stream->context->device);
    CUcontext context = handleOf(stream->context);
    Unlocked unlocked;
    raiseSynchronize(CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED, context, handle);
    return result;
}
SIM_API_PER_THREAD(Context, cuStreamSynchronize, _ptsz)

SIM_API(Context, cuStreamGetFlags, CUstream handle, unsigned int* flags) {
    const Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!flags) return CUDA_ERROR_INVALID_VALUE;
    *flags = stream->flags;
    return CUDA_SUCCESS;
}
SIM_API_PER_THREAD(Context, cuStreamGetFlags, _ptsz)

SIM_API(Context, cuStreamGetPriority, CUstream handle, int* priority) {
    const Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!priority) return CUDA_ERROR_INVALID_VALUE;
    *priority = stream->priority;
    return CUDA_SUCCESS;
}
SIM_API_PER_THREAD(Context, cuStreamGetPriority, _ptsz)

SIM_API(Context, cuStreamGetId, CUstream handle, unsigned long long* id) {
    const Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!id) return CUDA_ERROR_INVALID_VALUE;
    *id = stream->id;
    return CUDA_SUCCESS;
}
SIM_API_PER_THREAD(Context, cuStreamGetId, _ptsz)

SIM_API(Context, cuStreamGetCtx, CUstream handle, CUcontext* context) {
    const Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    *context = handleOf(stream->context);
    return CUDA_SUCCESS;
}
SIM_API_PER_THREAD(Context, cuStreamGetCtx, _ptsz)

SIM_API(Context, cuStreamGetDevice, CUstream handle, CUdevice* device) {
    const Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    *device = stream->context->device;
    return CUDA_SUCCESS;
}
SIM_API_PER_THREAD(Context, cuStreamGetDevice, _ptsz)

SIM_API(Context, cuLaunchHostFunc, CUstream stream, CUhostFn function, void* userData) {
    if (!function) return CUDA_ERROR_INVALID_VALUE;
    auto work = deviceWork(CU_GRAPH_NODE_TYPE_HOST, [function, userData] { function(userData); });
    work.onHost = true;
    return submit(stream, std::move(work), false);
}
SIM_API_PER_THREAD(Context, cuLaunchHostFunc, _ptsz)

SIM_API(Context, cuStreamAddCallback, CUstream handle, CUstreamCallback callback, void* userData,
        unsigned int flags) {
    if (!callback || flags) return CUDA_ERROR_INVALID_VALUE;
    const Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    const Context* context = stream->context;
    auto work = deviceWork(CU_GRAPH_NODE_TYPE_HOST, [callback, handle, userData, context] {
        callback(handle, context->stickyError, userData);
    });
    work.onHost = true;
    work.runsAfterError = true;
    return submit(handle, std::move(work), false);
}
SIM_API_PER_THREAD(Context, cuStreamAddCallback, _ptsz)

SIM_API(Context, cuStreamAttachMemAsync, CUstream stream, CUdeviceptr address, size_t, unsigned int) {
    const Allocation* allocation = allocations().holding(address);
    if (!allocation || allocation->kind != MemoryKind::Managed) return CUDA_ERROR_INVALID_VALUE;
    return submit(stream, Work{}, false);
}
SIM_API_PER_THREAD(Context, cuStreamAttachMemAsync, _ptsz)

template <typename T>
static CUresult writeValue(CUstream stream, CUdeviceptr address, T value) {
    if (address % sizeof(T) || !mayAccess(address, sizeof(T), Access::Write)) return CUDA_ERROR_INVALID_VALUE;
    auto work = deviceWork(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, [address, value] {
        __atomic_store_n(reinterpret_cast<T*>(address), value, __ATOMIC_RELEASE);
        announceChange();
    });
    return submit(stream, std::move(work), false);
}

template <typename T>
static bool isReached(CUdeviceptr address, T value, unsigned int flags) {
    const T seen = __atomic_load_n(reinterpret_cast<const T*>(address), __ATOMIC_ACQUIRE);
    switch (flags & 3) {
        case CU_STREAM_WAIT_VALUE_EQ:
            return seen == value;
        case CU_STREAM_WAIT_VALUE_AND:
            return (seen & value) != 0;
        case CU_STREAM_WAIT_VALUE_NOR:
            return ~(seen | value) != 0;
        default:
            return std::make_signed_t<T>(seen - value) >= 0;
    }
}

template <typename T>
static CUresult waitValue(CUstream stream, CUdeviceptr address, T value, unsigned int flags) {
    if (address % sizeof(T) || !mayAccess(address, sizeof(T), Access::Read)) return CUDA_ERROR_INVALID_VALUE;
    Work work;
    work.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    work.ready = [address, value, flags] { return isReached(address, value, flags); };
    return submit(stream, std::move(work), false);
}

SIM_API(Context, cuStreamWriteValue32_v2, CUstream stream, CUdeviceptr address, cuuint32_t value,
        unsigned int) {
    return writeValue(stream, address, value);
}
SIM_API_PER_THREAD(Context, cuStreamWriteValue32_v2, _ptsz)

SIM_API(Context, cuStreamWriteValue64_v2, CUstream stream, CUdeviceptr address, cuuint64_t value,
        unsigned int) {
    return writeValue(stream, address, value);
}
SIM_API_PER_THREAD(Context, cuStreamWriteValue64_v2, _ptsz)

SIM_API(Context, cuStreamWaitValue32_v2, CUstream stream, CUdeviceptr address, cuuint32_t value,
        unsigned int flags) {
    return waitValue(stream, address, value, flags);
}
SIM_API_PER_THREAD(Context, cuStreamWaitValue32_v2, _ptsz)

SIM_API(Context, cuStreamWaitValue64_v2, CUstream stream, CUdeviceptr address, cuuint64_t value,
        unsigned int flags) {
    return waitValue(stream, address, value, flags);
}
SIM_API_PER_THREAD(Context, cuStreamWaitValue64_v2, _ptsz)

static CUresult batchOperation(CUstream stream, const CUstreamBatchMemOpParams& operation) {
    const auto& write = operation.writeValue;
    const auto& wait = operation.waitValue;
    switch (operation.operation) {
        case CU_STREAM_MEM_OP_WRITE_VALUE_32:
            return writeValue(stream, write.address, write.value);
        case CU_STREAM_MEM_OP_WRITE_VALUE_64:
            return writeValue(stream, write.address, write.value64);
        case CU_STREAM_MEM_OP_WAIT_VALUE_32:
            return waitValue(stream, wait.address, wait.value, wait.flags);
        case CU_STREAM_MEM_OP_WAIT_VALUE_64:
            return waitValue(stream, wait.address, wait.value64, wait.flags);
        case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        case CU_STREAM_MEM_OP_BARRIER:
            return submit(stream, Work{}, false);
        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
}

SIM_API(Context, cuStreamBatchMemOp_v2, CUstream stream, unsigned int count,
        CUstreamBatchMemOpParams* operations, unsigned int) {
    if (!operations || count > 256) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned int i = 0; i < count; ++i) {
        if (const CUresult failed = batchOperation(stream, operations[i]); failed != CUDA_SUCCESS)
            return failed;
    }
    return CUDA_SUCCESS;
}
SIM_API_PER_THREAD(Context, cuStreamBatchMemOp_v2, _ptsz)

}  // namespace vramscope::sim
