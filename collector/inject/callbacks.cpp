// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/callbacks.h"

#include <cupti.h>

#include <cstdio>

#include "collector/inject/call_stack.h"
#include "collector/inject/call_table.h"
#include "collector/inject/clock.h"
#include "collector/inject/context_events.h"
#include "collector/inject/cupti_api.h"
#include "collector/inject/failed_calls.h"
#include "collector/inject/runtime_calls.h"

namespace vramscope::collector {

namespace {

CUpti_SubscriberHandle g_subscriber = nullptr;

void onDriverEnter(ThreadState& thread, const CallRule& rule, const CUpti_CallbackData& data) {
    thread.runtimeApi = 0;
    if (rule.createsContext) thread.creatingContext = true;
    if (thread.callDepth++ == 0) {
        *data.correlationData = rule.mutates ? announceMutation(thread) : announceCall(thread);
        return;
    }
    // A call made by the driver inside another: the outer announcement covers it, and is strengthened if need be.
    if (rule.mutates) thread.lane->sinceNs.fetch_or(formats::kSinceMutates, std::memory_order_seq_cst);
    *data.correlationData = monotonicNs();
}

void onDriverExit(ThreadState& thread, CUpti_CallbackId id, const CallRule& rule, const CUpti_CallbackData& data) {
    // An exit without its enter: recording began, or was resumed, inside this call.
    if (thread.callDepth == 0) return;
    const auto result = static_cast<std::uint16_t>(*static_cast<const CUresult*>(data.functionReturnValue));
    if (rule.decode != nullptr || result != 0) {
        Call call{thread, data, static_cast<std::uint16_t>(id), result, *data.correlationData, monotonicNs()};
        if (rule.takesStack) call.stackId = captureStack(thread);
        if (rule.decode != nullptr) rule.decode(call);
        if (result != 0 && rule.decode == nullptr) recordFirstFailure(call);
    }
    if (rule.createsContext) thread.creatingContext = false;
    if (--thread.callDepth == 0) announceIdle(thread);
}

void onDriverCall(ThreadState& thread, CUpti_CallbackId id, const CUpti_CallbackData& data) {
    if (id >= kMaxDriverApis) return;
    const CallRule& rule = g_driverCalls[id];
    if (data.callbackSite == CUPTI_API_ENTER) {
        onDriverEnter(thread, rule, data);
    } else {
        onDriverExit(thread, id, rule, data);
    }
}

// The one function that CUPTI calls, on the job's threads, concurrently.
void CUPTIAPI onCallback(void* /*user*/, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    if (!isRecording()) return;
    ThreadState* thread = currentThread();
    if (thread == nullptr) {
        countDrop(formats::DropReason::TooManyThreads);
        return;
    }
    // Calls that our own code makes come back here on the same thread.
    if (thread->inside) return;
    thread->inside = true;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
        onDriverCall(*thread, id, *static_cast<const CUpti_CallbackData*>(data));
    } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
        onResource(*thread, id, *static_cast<const CUpti_ResourceData*>(data));
    } else if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
        onRuntimeCall(*thread, id, *static_cast<const CUpti_CallbackData*>(data));
    }
    thread->inside = false;
}

void enableDriverCalls() {
    const RecordMode level = g_collector.config.recordMode;
    for (std::uint32_t id = 0; id < kMaxDriverApis; ++id) {
        CallRule& rule = g_driverCalls[id];
        if (!rule.isWatched) continue;
        if (rule.level > level) continue;
        if (g_collector.config.launchStacks && rule.level == RecordMode::Launches) rule.takesStack = true;
        // An id that this CUPTI does not know is refused, and that is all.
        g_cupti.enableCallback(1, g_subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
    }
}

void enableResourceEvents() {
    for (const CUpti_CallbackId id : {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
                                      CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING}) {
        g_cupti.enableCallback(1, g_subscriber, CUPTI_CB_DOMAIN_RESOURCE, id);
    }
}

// As cupti_callbacks.h (13.0) declares CUpti_SubscriberParams: size of the structure, our name, room for the other's name.
struct SubscriberParams {
    std::size_t structSize;
    const char* subscriberName;
    char* oldSubscriberName;
    std::size_t oldSubscriberSize;
};

void describeBusy(char* reason, std::size_t reasonBytes) {
    char other[128] = "";
    if (g_cupti.subscribeV2 != nullptr) {
        SubscriberParams parameters{sizeof(SubscriberParams), "vramscope", other, sizeof(other)};
        CUpti_SubscriberHandle handle = nullptr;
        g_cupti.subscribeV2(&handle, onCallback, nullptr, &parameters);
        other[sizeof(other) - 1] = '\0';
    }
    std::snprintf(reason, reasonBytes,
                  "another tool holds CUPTI in this process%s%s%s. Run the job outside that tool, or add --require to stop "
                  "instead.",
                  other[0] != '\0' ? " (" : "", other, other[0] != '\0' ? ")" : "");
}

}  // namespace

bool subscribeToCupti(formats::ArenaHeader& arena, char* reason, std::size_t reasonBytes) {
    if (!loadCupti(arena.enginePath, sizeof(arena.enginePath), reason, reasonBytes)) return false;
    buildCallTable();
    g_cupti.getVersion(&arena.cuptiVersion);

    const CUptiResult result = g_cupti.subscribe(&g_subscriber, onCallback, nullptr);
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
        describeBusy(reason, reasonBytes);
        return false;
    }
    if (result != CUPTI_SUCCESS) {
        const char* text = "unknown error";
        g_cupti.getResultString(result, &text);
        std::snprintf(reason, reasonBytes,
                      "%s (CUPTI %u) does not work with this driver: %s. Use a CUPTI that is no newer than the driver.",
                      arena.enginePath, arena.cuptiVersion, text);
        return false;
    }
    enableDriverCalls();
    enableRuntimeCalls(g_subscriber);
    enableResourceEvents();
    return true;
}

}  // namespace vramscope::collector
