// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/entry_point.h"

#include <atomic>
#include <utility>

#include "samples/sim/callback_dispatch.h"
#include "samples/sim/capture.h"
#include "samples/sim/context.h"
#include "samples/sim/exported_functions.h"
#include "samples/sim/host_thread.h"
#include "samples/sim/machine.h"
#include "samples/sim/module.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {
namespace {

std::atomic<uint32_t> g_lastCorrelationId{0};
const ExportedFunction* g_exportedFunctions = nullptr;

thread_local bool t_perThreadStream = false;
thread_local std::unique_lock<std::mutex> t_ownLock;
thread_local std::unique_lock<std::mutex>* t_lock = &t_ownLock;

CUresult refusal(const CallSite& site) {
    const Machine& m = machine();
    if (m.forked) return CUDA_ERROR_NOT_INITIALIZED;
    if (m.ended) return CUDA_ERROR_DEINITIALIZED;
    if (site.needs == Needs::Nothing) return CUDA_SUCCESS;
    if (!m.initialised) return CUDA_ERROR_NOT_INITIALIZED;
    if (inHostFunction()) return CUDA_ERROR_NOT_PERMITTED;
    if (site.needs == Needs::Driver) return CUDA_SUCCESS;
    const Context* context = currentContext();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return context->stickyError ? context->stickyError : checkAgainstCaptures(site.callbackId);
}

/// Runs a body under the lock. A call inside a callback nests: it has a lock object and a stream rule of its
/// own.
CUresult runBody(const CallSite& site, void* params, CUresult (*body)(void*)) {
    // In the child of a fork the lock may belong to a thread that does not exist here.
    if (machine().forked) return CUDA_ERROR_NOT_INITIALIZED;
    std::unique_lock<std::mutex> lock(machine().lock);
    std::unique_lock<std::mutex>* const outerLock = std::exchange(t_lock, &lock);
    const bool outerRule = std::exchange(t_perThreadStream, site.perThreadStream);
    noteActivity();
    CUresult result = refusal(site);
    if (result == CUDA_SUCCESS) result = body(params);
    t_perThreadStream = outerRule;
    t_lock = outerLock;
    return result;
}

void fillContext(CUpti_CallbackData& data) {
    Context* context = currentContext();
    data.context = context ? handleOf(context) : nullptr;
    data.contextUid = context && context->alive ? context->uid : 0;
}

}  // namespace

CUresult runCall(const CallSite& site, void* params, CUresult (*body)(void*)) {
    const uint32_t correlationId = ++g_lastCorrelationId;
    CUresult result = CUDA_SUCCESS;
    if (!isCallbackEnabled(CUPTI_CB_DOMAIN_DRIVER_API, site.callbackId)) return runBody(site, params, body);

    uint64_t correlationData = 0;
    CUpti_CallbackData data{};
    data.callbackSite = CUPTI_API_ENTER;
    data.functionName = site.name;
    data.functionParams = params;
    data.functionReturnValue = &result;
    data.symbolName = site.launched ? nameOfFunction(site.launched(params)) : nullptr;
    data.correlationData = &correlationData;
    data.correlationId = correlationId;
    fillContext(data);
    const bool entered = raiseCallback(CUPTI_CB_DOMAIN_DRIVER_API, site.callbackId, &data);
    result = runBody(site, params, body);
    if (entered) {
        data.callbackSite = CUPTI_API_EXIT;
        fillContext(data);
        raiseCallback(CUPTI_CB_DOMAIN_DRIVER_API, site.callbackId, &data);
    }
    return result;
}

bool callUsesPerThreadStream() {
    return t_perThreadStream;
}

std::unique_lock<std::mutex>& driverLock() {
    return *t_lock;
}

ExportedFunction::ExportedFunction(const char* exportedName, void* exportedAddress)
    : name(exportedName), address(exportedAddress), next(g_exportedFunctions) {
    g_exportedFunctions = this;
}

const ExportedFunction* firstExportedFunction() {
    return g_exportedFunctions;
}

}  // namespace vramscope::sim
