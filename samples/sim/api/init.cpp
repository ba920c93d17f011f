// SPDX-License-Identifier: Apache-2.0
// cuInit, the version, and the ways to find other entry points.
#include <cstring>

#include "samples/sim/callback_dispatch.h"
#include "samples/sim/context.h"
#include "samples/sim/driver_table.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/exported_functions.h"
#include "samples/sim/injection.h"
#include "samples/sim/launch_watch.h"
#include "samples/sim/machine.h"
#include "samples/sim/module.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {

constexpr int kDriverVersion = 13000;

SIM_API(Nothing, cuInit, unsigned int flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (machine().initialised) return CUDA_SUCCESS;
    if (!startMachine()) return CUDA_ERROR_NO_DEVICE;
    if (deviceCount() == 0) return CUDA_ERROR_NO_DEVICE;
    Unlocked unlocked;
    loadInjection();
    // The only resource callback without data: the real one passes null.
    raiseCallback(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, nullptr);
    return CUDA_SUCCESS;
}

SIM_API(Nothing, cuDriverGetVersion, int* version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = kDriverVersion;
    return CUDA_SUCCESS;
}

static CUresult lookUp(const char* symbol, void** address, int cudaVersion, cuuint64_t flags,
                       CUdriverProcAddressQueryResult* status) {
    if (!symbol || !address) return CUDA_ERROR_INVALID_VALUE;
    *address =
        findExportedFunction(symbol, cudaVersion, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    if (status) *status = *address ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *address ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

SIM_API(Nothing, cuGetProcAddress, const char* symbol, void** address, int cudaVersion, cuuint64_t flags) {
    return lookUp(symbol, address, cudaVersion, flags, nullptr);
}

SIM_API(Nothing, cuGetProcAddress_v2, const char* symbol, void** address, int cudaVersion, cuuint64_t flags,
        CUdriverProcAddressQueryResult* status) {
    const CUresult result = lookUp(symbol, address, cudaVersion, flags, status);
    // From this version on the status says it and the call succeeds.
    return result == CUDA_ERROR_NOT_FOUND && status ? CUDA_SUCCESS : result;
}

static bool tableContextId(CUcontext handle, uint32_t* id) {
    Context* context = handle ? findContext(handle) : currentContext();
    if (context) *id = context->uid;
    return context != nullptr;
}

static bool tableDeviceId(CUcontext handle, uint32_t* id) {
    Context* context = handle ? findContext(handle) : currentContext();
    if (context) *id = uint32_t(context->device);
    return context != nullptr;
}

static bool tableStreamId(CUcontext handle, CUstream streamHandle, bool perThread, uint32_t* id) {
    Context* context = handle ? findContext(handle) : currentContext();
    if (!context || !currentContext()) return false;
    const bool implicit = !streamHandle && perThread;
    std::lock_guard guard(machine().lock);
    Stream* stream = findStream(implicit ? CU_STREAM_PER_THREAD : streamHandle);
    if (stream) *id = stream->id;
    return stream != nullptr;
}

static void tableWatchLaunches(LaunchWatcher watcher) {
    std::lock_guard guard(machine().lock);
    watchLaunches(watcher);
}

static CUresult tableSynchronize(void* handle) {
    static constexpr CallSite kSite{"", CUPTI_DRIVER_TRACE_CBID_INVALID, Needs::Context, false, nullptr};
    return runCall(kSite, handle, [](void* named) {
        Stream* stream = named ? static_cast<Stream*>(named) : findStream(nullptr);
        return finish(markOf(*stream), *stream->context);
    });
}

static CUmodule tableModuleHandle(uint32_t id) {
    std::lock_guard guard(machine().lock);
    return reinterpret_cast<CUmodule>(moduleOfId(id));
}

static bool tableFunctionPlace(CUmodule handle, const char* name, uint64_t* pc, uint64_t* sizeBytes) {
    std::lock_guard guard(machine().lock);
    const Module* module = findModule(handle);
    return module && placeOfFunction(*module, name, *pc, *sizeBytes);
}

constexpr DriverTable kDriverTable = {sizeof(DriverTable), installSubscriber, removeSubscriber,
                                      setCallbackEnabled,  isCallbackEnabled, tableContextId,
                                      tableDeviceId,       tableStreamId,     tableWatchLaunches,
                                      tableSynchronize,    tableModuleHandle, tableFunctionPlace};

SIM_API(Nothing, cuGetExportTable, const void** table, const CUuuid* id) {
    if (!table || !id) return CUDA_ERROR_INVALID_VALUE;
    if (std::memcmp(id->bytes, kDriverTableId, sizeof kDriverTableId) != 0) return CUDA_ERROR_INVALID_VALUE;
    *table = &kDriverTable;
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
