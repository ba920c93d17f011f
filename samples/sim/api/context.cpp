// SPDX-License-Identifier: Apache-2.0
// Contexts: explicit ones, primary ones, the thread's stack of them, and waiting for all their work.
#include "samples/sim/context.h"

#include "samples/sim/callback_dispatch.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/machine.h"
#include "samples/sim/pool.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {

static bool exists(CUdevice device) {
    return device >= 0 && uint32_t(device) < deviceCount();
}

static CUresult createContext(CUcontext* result, unsigned int flags, CUdevice device) {
    if (!result) return CUDA_ERROR_INVALID_VALUE;
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    Context* context = newContext(device, flags, false);
    if (const CUresult started = startContext(*context); started != CUDA_SUCCESS) return started;
    pushContext(context);
    *result = handleOf(context);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuCtxCreate_v2, CUcontext* context, unsigned int flags, CUdevice device) {
    return createContext(context, flags, device);
}

SIM_API(Driver, cuCtxCreate_v3, CUcontext* context, CUexecAffinityParam*, int, unsigned int flags,
        CUdevice device) {
    return createContext(context, flags, device);
}

SIM_API(Driver, cuCtxCreate_v4, CUcontext* context, CUctxCreateParams*, unsigned int flags, CUdevice device) {
    return createContext(context, flags, device);
}

SIM_API(Driver, cuCtxDestroy_v2, CUcontext handle) {
    Context* context = findContext(handle);
    if (!context || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    endContext(*context);
    if (currentContext() == context) popContext();
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuCtxPushCurrent_v2, CUcontext handle) {
    Context* context = findContext(handle);
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    pushContext(context);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuCtxPopCurrent_v2, CUcontext* handle) {
    Context* context = popContext();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (handle) *handle = handleOf(context);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuCtxSetCurrent, CUcontext handle) {
    Context* context = handle ? findContext(handle) : nullptr;
    if (handle && !context) return CUDA_ERROR_INVALID_CONTEXT;
    setCurrentContext(context);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuCtxGetCurrent, CUcontext* handle) {
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    Context* context = currentContext();
    *handle = context ? handleOf(context) : nullptr;
    return CUDA_SUCCESS;
}

SIM_API(Context, cuCtxGetDevice, CUdevice* device) {
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    *device = currentContext()->device;
    return CUDA_SUCCESS;
}

SIM_API(Context, cuCtxGetFlags, unsigned int* flags) {
    if (!flags) return CUDA_ERROR_INVALID_VALUE;
    *flags = currentContext()->flags;
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuCtxGetId, CUcontext handle, unsigned long long* id) {
    Context* context = handle ? findContext(handle) : currentContext();
    if (!id) return CUDA_ERROR_INVALID_VALUE;
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    *id = context->uid;
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuCtxGetApiVersion, CUcontext handle, unsigned int* version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    if (handle && !findContext(handle)) return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020;
    return CUDA_SUCCESS;
}

SIM_API(Context, cuCtxGetStreamPriorityRange, int* least, int* greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return CUDA_SUCCESS;
}

static CUresult synchronizeContext(Context& context) {
    const CUresult result = finishContext(context);
    trimPoolsAfterSync(context.device);
    Unlocked unlocked;
    raiseSynchronize(CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED, handleOf(&context), nullptr);
    return result;
}

SIM_API_PLAIN(Context, cuCtxSynchronize) {
    return synchronizeContext(*currentContext());
}

SIM_API(Driver, cuCtxSynchronize_v2, CUcontext handle) {
    Context* context = handle ? findContext(handle) : currentContext();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return synchronizeContext(*context);
}

SIM_API(Context, cuCtxEnablePeerAccess, CUcontext peer, unsigned int flags) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    return findContext(peer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

SIM_API(Context, cuCtxDisablePeerAccess, CUcontext peer) {
    return findContext(peer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

SIM_API(Driver, cuDevicePrimaryCtxRetain, CUcontext* handle, CUdevice device) {
    if (!handle) return CUDA_ERROR_INVALID_VALUE;
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    Context& context = primaryContext(device);
    if (!context.alive) {
        if (const CUresult started = startContext(context); started != CUDA_SUCCESS) return started;
    }
    ++context.primaryReferences;
    *handle = handleOf(&context);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuDevicePrimaryCtxRelease_v2, CUdevice device) {
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    Context& context = primaryContext(device);
    if (!context.primaryReferences) return CUDA_ERROR_INVALID_CONTEXT;
    if (--context.primaryReferences == 0 && context.alive) endContext(context);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuDevicePrimaryCtxReset_v2, CUdevice device) {
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    Context& context = primaryContext(device);
    // The references stay: who retained it finds it dead and retains it anew.
    if (context.alive) endContext(context);
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuDevicePrimaryCtxGetState, CUdevice device, unsigned int* flags, int* active) {
    if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    *flags = primaryContext(device).flags;
    *active = primaryContext(device).alive;
    return CUDA_SUCCESS;
}

SIM_API(Driver, cuDevicePrimaryCtxSetFlags_v2, CUdevice device, unsigned int flags) {
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    primaryContext(device).flags = flags;
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
