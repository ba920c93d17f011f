// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/sanitizer_engine.h"

#include <atomic>
#include <cstdio>
#include <cstring>

#include "collector/inject/call_table.h"
#include "collector/inject/context_numbers.h"
#include "collector/inject/cupti_api.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/exact.h"
#include "collector/inject/open_calls.h"
#include "collector/inject/sanitizer_api.h"

namespace vramscope::collector {

namespace {

using sanitizer::CallbackData;
using sanitizer::ContextData;
using sanitizer::ModuleData;

CUpti_CallbackFunc g_callback = nullptr;
sanitizer::Subscriber g_sanitizerSubscriber = nullptr;

bool namesKernel(const char* call) {
    return call != nullptr && (std::strncmp(call, "cuLaunchKernel", 14) == 0 ||
                               std::strncmp(call, "cuLaunchCooperativeKernel", 25) == 0);
}

void onApi(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CallbackData& from) {
    const bool isEnter = from.callbackSite == 0;
    OpenCall* open = isEnter ? openCall(domain, id) : findOpenCall(domain, id);
    std::uint64_t unknown = 0;
    CUpti_CallbackData data{};
    data.callbackSite = isEnter ? CUPTI_API_ENTER : CUPTI_API_EXIT;
    data.functionName = from.functionName;
    data.functionParams = from.functionParams;
    data.functionReturnValue = const_cast<void*>(from.functionReturnValue);
    // Only set where it means something; elsewhere it is whatever lay there.
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API && namesKernel(from.functionName))
        data.symbolName = from.symbolName;
    data.context = from.context;
    data.contextUid = numberOfContext(from.context);
    data.correlationData = open != nullptr ? &open->enterTicks : &unknown;
    g_callback(nullptr, domain, id, &data);
    if (isEnter || open == nullptr) return;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API) exactAfterCall(id, data, *open);
    closeCall(*open);
}

void raiseResource(CUpti_CallbackId id, CUcontext context, void* descriptor) {
    CUpti_ResourceData data{};
    data.context = context;
    data.resourceDescriptor = descriptor;
    g_callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

void raiseModule(CUpti_CallbackId id, const ModuleData& from) {
    CUpti_ModuleResourceData module{};
    // CUPTI numbers modules; here the handle is as good, since it is told with its end.
    module.moduleId = static_cast<std::uint32_t>(asWord(from.module) >> 4);
    module.cubinSize = from.cubinSize;
    module.pCubin = from.cubin;
    raiseResource(id, from.context, &module);
}

void onResource(std::uint32_t id, const void* data) {
    switch (id) {
        case sanitizer::kContextCreationFinished: {
            const CUcontext context = static_cast<const ContextData*>(data)->context;
            numberContext(context);
            raiseResource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, context, nullptr);
            return;
        }
        case sanitizer::kContextDestroyStarting: {
            const CUcontext context = static_cast<const ContextData*>(data)->context;
            exactContextEnds(context);
            raiseResource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, context, nullptr);
            forgetContext(context);
            return;
        }
        case sanitizer::kModuleLoaded: {
            const auto& module = *static_cast<const ModuleData*>(data);
            exactModuleLoaded(module);
            raiseModule(CUPTI_CBID_RESOURCE_MODULE_LOADED, module);
            return;
        }
        case sanitizer::kModuleUnloadStarting:
            exactModuleUnloads(*static_cast<const ModuleData*>(data));
            return raiseModule(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
                               *static_cast<const ModuleData*>(data));
        default:
            return;
    }
}

// The one function that the library calls, on the job's threads, concurrently.
void onSanitizer(void* /*user*/, std::uint32_t domain, std::uint32_t id, const void* data) {
    switch (domain) {
        case sanitizer::kDriverApi:
        case sanitizer::kRuntimeApi:
            return onApi(static_cast<CUpti_CallbackDomain>(domain), id,
                         *static_cast<const CallbackData*>(data));
        case sanitizer::kResource:
            return onResource(id, data);
        case sanitizer::kLaunch:
            if (id == sanitizer::kLaunchBegin)
                exactLaunchBegins(*static_cast<const sanitizer::LaunchData*>(data), false);
            return;
        case sanitizer::kGraphs: {
            const auto& node = *static_cast<const sanitizer::GraphNodeLaunchData*>(data);
            if (id == sanitizer::kNodeLaunchBegin && node.nodeType == CU_GRAPH_NODE_TYPE_KERNEL)
                exactLaunchBegins(node.launch, true);
            return;
        }
        default:
            return;
    }
}

// The functions that stand in CUPTI's place.

CUptiResult enableCallback(std::uint32_t on, CUpti_SubscriberHandle /*subscriber*/,
                           CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    // Resources are numbered differently and enabled below.
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API && domain != CUPTI_CB_DOMAIN_RUNTIME_API)
        return CUPTI_ERROR_INVALID_PARAMETER;
    const bool isKnown =
        g_sanitizer.enableCallback(on, g_sanitizerSubscriber, static_cast<std::uint32_t>(domain), id) ==
        sanitizer::kSuccess;
    return isKnown ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult contextNumber(CUcontext context, std::uint32_t* number) {
    *number = numberOfContext(context);
    return *number != 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT;
}

CUptiResult deviceNumber(CUcontext /*context*/, std::uint32_t* device) {
    // Asked of a context that has just become current, or is about to go.
    CUdevice current = 0;
    if (g_driver.ctxGetDevice == nullptr || g_driver.ctxGetDevice(&current) != CUDA_SUCCESS)
        return CUPTI_ERROR_INVALID_CONTEXT;
    *device = static_cast<std::uint32_t>(current);
    return CUPTI_SUCCESS;
}

void enable(std::uint32_t domain, std::uint32_t id) {
    g_sanitizer.enableCallback(1, g_sanitizerSubscriber, domain, id);
}

}  // namespace

bool subscribeToSanitizer(formats::ArenaHeader& arena, CUpti_CallbackFunc callback, char* reason,
                          std::size_t reasonBytes) {
    if (!loadSanitizer(arena.enginePath, sizeof(arena.enginePath), reason, reasonBytes)) return false;
    if (!prepareExact(reason, reasonBytes)) return false;
    g_callback = callback;
    g_cupti.enableCallback = enableCallback;
    g_cupti.getContextId = contextNumber;
    g_cupti.getDeviceId = deviceNumber;
    const sanitizer::Result result = g_sanitizer.subscribe(&g_sanitizerSubscriber, onSanitizer, nullptr);
    if (result == sanitizer::kMaxLimitReached) {
        std::snprintf(
            reason, reasonBytes,
            "another tool holds the Compute Sanitizer API in this process. Run the job outside that "
            "tool.");
        return false;
    }
    if (result != sanitizer::kSuccess) {
        const char* text = "unknown error";
        g_sanitizer.getResultString(result, &text);
        std::snprintf(
            reason, reasonBytes,
            "%s does not work here: %s. It must fit the driver, and no tool that uses CUPTI may be in "
            "this process.",
            arena.enginePath, text);
        return false;
    }
    for (const std::uint32_t id : {sanitizer::kContextCreationFinished, sanitizer::kContextDestroyStarting,
                                   sanitizer::kModuleLoaded, sanitizer::kModuleUnloadStarting})
        enable(sanitizer::kResource, id);
    enable(sanitizer::kLaunch, sanitizer::kLaunchBegin);
    enable(sanitizer::kGraphs, sanitizer::kNodeLaunchBegin);
    return true;
}

}  // namespace vramscope::collector
