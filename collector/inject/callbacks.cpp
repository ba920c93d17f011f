// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/callbacks.h"

#include <cstdio>
#include <cupti.h>

#include "collector/inject/call_stack.h"
#include "collector/inject/call_table.h"
#include "collector/inject/clock.h"
#include "collector/inject/context_events.h"
#include "collector/inject/cupti_api.h"
#include "collector/inject/failed_calls.h"
#include "collector/inject/launch_route.h"
#include "collector/inject/plain_launch.h"
#include "collector/inject/runtime_calls.h"
#include "collector/inject/sanitizer_engine.h"
#include "collector/inject/watch.h"
#include "collector/inject/work_acts.h"

namespace vramscope::collector {

namespace {

CUpti_SubscriberHandle g_subscriber = nullptr;

// The entry of a call that may end lifetimes, or create a context.
void onMutationEnter(ThreadState& thread, const CallRule& rule, const CUpti_CallbackData& data) {
    if (rule.createsContext) thread.creatingContext = true;
    if (thread.callDepth++ == 0) {
        *data.correlationData = announceMutation(thread);
    } else {
        // A call that the driver makes inside another: the outer announcement covers it.
        *data.correlationData = nowTicks();
    }
}

void onMutationExit(ThreadState& thread, const CallRule& rule) {
    if (rule.createsContext) thread.creatingContext = false;
    if (thread.callDepth > 0 && --thread.callDepth == 0) announceIdle(thread);
}

void recordCall(ThreadState& thread, CUpti_CallbackId id, const CallRule& rule,
                const CUpti_CallbackData& data, std::uint16_t result) {
    const std::uint64_t exitTicks = nowTicksRelaxed();
    std::uint64_t enterTicks = *data.correlationData;
    // An exit without its enter: recording began inside this call. Half of all stamps is further off than any
    // call takes.
    if (enterTicks > exitTicks || enterTicks < exitTicks / 2) enterTicks = exitTicks;
    Call call{thread, data, static_cast<std::uint16_t>(id), result, enterTicks, exitTicks};
    thread.runtimeApi = 0;
    const bool isFailure = formats::isFailure(result);
    if (rule.takesStack || isFailure) call.stackId = captureStack(thread);
    if (rule.decode != nullptr) rule.decode(call);
    // Here, so that no decoder can leave a failure out: the level, a capture or a null parameter may have
    // kept it from writing anything.
    if (isFailure && !call.isRecorded) recordFailure(call);
    if (!actsOnWork()) return;
    if (rule.level == RecordMode::Launches) {
        const bool isLaunch = rule.launchForm != LaunchForm::None || rule.beforeCall == beforeLaunchCall;
        afterWork(thread, call.api, isLaunch, call.succeeded(), enterTicks);
    } else if (rule.level == RecordMode::All && watchIsOn()) {
        noteOtherWork();
    }
}

// Nearly all calls: a stamp, and a head start for the caches.
inline void stampEnter(const CUpti_CallbackData& data, bool isDecoded) {
    *data.correlationData = nowTicksRelaxed();
    if (isDecoded && t_thread.segment != nullptr) prefetchNextRecord(t_thread);
}

void onDriverEnter(const CallRule& rule, const CUpti_CallbackData& data) {
    const bool changesLifetimes = rule.mutates || rule.createsContext;
    if (!changesLifetimes && rule.beforeCall == nullptr) return stampEnter(data, rule.decode != nullptr);
    ThreadState* thread = currentThread();
    if (thread == nullptr) return;
    if (rule.beforeCall != nullptr) rule.beforeCall(*thread, data);
    if (changesLifetimes) return onMutationEnter(*thread, rule, data);
    stampEnter(data, true);
}

// The call cannot be recorded: if it was the job's, that is a loss.
void countLostCall() {
    if (isRecording() && !t_thread.inside) countDrop(formats::DropReason::TooManyThreads);
}

}  // namespace

void recordDriverExit(CUpti_CallbackId id, const CallRule& rule, const CUpti_CallbackData& data) {
    const auto result = static_cast<std::uint16_t>(*static_cast<const CUresult*>(data.functionReturnValue));
    if (rule.decode == nullptr && !formats::isFailure(result)) return;
    ThreadState* thread = currentThread();
    if (thread == nullptr) return countLostCall();
    // Calls that our own code makes come back here on the same thread and are turned away by currentThread().
    thread->inside = true;
    recordCall(*thread, id, rule, data, result);
    if (rule.mutates || rule.createsContext) onMutationExit(*thread, rule);
    thread->inside = false;
}

namespace {

[[gnu::noinline]] void onRareCallback(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    ThreadState* thread = currentThread();
    if (thread == nullptr) return;
    thread->inside = true;
    if (domain == CUPTI_CB_DOMAIN_RESOURCE)
        onResource(*thread, id, *static_cast<const CUpti_ResourceData*>(data));
    if (domain == CUPTI_CB_DOMAIN_RUNTIME_API)
        onRuntimeCall(*thread, id, *static_cast<const CUpti_CallbackData*>(data));
    thread->inside = false;
}

// Every driver call but a plain launch. Kept out of the function below, whose code each launch has to fetch.
[[gnu::noinline]] void onDriverCall(CUpti_CallbackId id, const CallRule& rule,
                                    const CUpti_CallbackData& data) {
    if (data.callbackSite == CUPTI_API_ENTER) return onDriverEnter(rule, data);
    recordDriverExit(id, rule, data);
}

// A launch that no hook of ours is around.
void onLaunch(CUpti_CallbackId id, const CallRule& rule, const CUpti_CallbackData& data) {
    if (data.callbackSite == CUPTI_API_ENTER) {
        if (actsOnWork()) beforePlainLaunch(rule, data);
        return stampEnter(data, true);
    }
    if (!recordPlainLaunch(id, rule, data)) {
        recordDriverExit(id, rule, data);
    } else if (actsOnWork()) {
        afterWork(t_thread, static_cast<std::uint16_t>(id), true, true, *data.correlationData);
    }
    noteUnhookedLaunch();
}

// The one function that CUPTI calls, on the job's threads, concurrently.
[[gnu::hot]] void CUPTIAPI onCallback(void* /*user*/, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                      const void* data) {
    if (!isRecording()) return;
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return onRareCallback(domain, id, data);
    if (id >= kMaxDriverApis) return;
    const CallRule& rule = g_driverCalls[id];
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (rule.launchForm != LaunchForm::None) {
        if (t_thread.inside) return;  // our own
        if (!t_thread.launching) return onLaunch(id, rule, call);
        t_thread.launchContextUid = call.contextUid;
        return;
    }
    onDriverCall(id, rule, call);
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

}  // namespace

void enableLaunchCallbacks(bool on) {
    for (std::uint32_t id = 0; id < kMaxDriverApis; ++id) {
        if (g_driverCalls[id].launchForm != LaunchForm::None)
            g_cupti.enableCallback(on ? 1 : 0, g_subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
    }
}

namespace {

void enableResourceEvents() {
    for (const CUpti_CallbackId id :
         {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
          CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
          CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED}) {
        g_cupti.enableCallback(1, g_subscriber, CUPTI_CB_DOMAIN_RESOURCE, id);
    }
}

// As cupti_callbacks.h (13.0) declares CUpti_SubscriberParams: size of the structure, our name, room for the
// other's name.
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
                  "another tool holds CUPTI in this process%s%s%s. Run the job outside that tool, or add "
                  "--require to stop "
                  "instead.",
                  other[0] != '\0' ? " (" : "", other, other[0] != '\0' ? ")" : "");
}

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
        std::snprintf(
            reason, reasonBytes,
            "%s (CUPTI %u) does not work with this driver: %s. Use a CUPTI that is no newer than the driver.",
            arena.enginePath, arena.cuptiVersion, text);
        return false;
    }
    enableDriverCalls();
    enableRuntimeCalls(g_subscriber);
    enableResourceEvents();
    return true;
}

}  // namespace

bool subscribeToEngine(formats::ArenaHeader& arena, char* reason, std::size_t reasonBytes) {
    if (g_collector.config.engine == Engine::Cupti) return subscribeToCupti(arena, reason, reasonBytes);
    buildCallTable();
    arena.engine = formats::ArenaEngine::Exact;
    if (!subscribeToSanitizer(arena, onCallback, reason, reasonBytes)) return false;
    enableDriverCalls();
    enableRuntimeCalls(g_subscriber);
    return true;
}

}  // namespace vramscope::collector
