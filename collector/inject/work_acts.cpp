// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/work_acts.h"

#include <cstring>

#include "collector/inject/act_scope.h"
#include "collector/inject/guard.h"
#include "collector/inject/inside_scope.h"
#include "collector/inject/perturb.h"
#include "collector/inject/watch.h"

namespace vramscope::collector {

namespace {

/// The launch that a thread is making.
struct Launching {
    CUstream stream;
    std::uint32_t contextUid;
    bool isOpen;
};
constinit thread_local Launching t_launching{};

/// Whose launches the legacy default stream has had so far, and whether other streams wait for it.
struct LegacyUse {
    std::atomic<std::uint32_t> firstTid{0};
    std::atomic<bool> areThreadsMany{false};
    std::atomic<bool> hasBlockingStreams{false};
};
constinit LegacyUse g_legacyUse;

void noteThread(const ThreadState& thread) {
    std::uint32_t first = 0;
    const std::uint32_t tid = thread.lane->tid;
    if (g_legacyUse.firstTid.load(std::memory_order_relaxed) == tid) return;
    if (!g_legacyUse.firstTid.compare_exchange_strong(first, tid) && first != tid)
        g_legacyUse.areThreadsMany.store(true, std::memory_order_relaxed);
}

// Everything on the legacy default stream is a barrier between blocking streams. Right beside a launch, which
// is one as well, another changes nothing, unless a second thread gets work in between.
bool mayLaunchOn(CUstream stream) {
    if (stream != CU_STREAM_LEGACY && stream != nullptr) return true;
    return !g_legacyUse.areThreadsMany.load(std::memory_order_relaxed) ||
           !g_legacyUse.hasBlockingStreams.load(std::memory_order_relaxed);
}

}  // namespace

void beforeLaunch(CUstream stream, std::uint32_t contextUid) {
    ThreadState* thread = currentThread();
    if (thread == nullptr) return;
    noteThread(*thread);
    noteStream(stream, 0);
    t_launching = {stream, contextUid, false};
    const ActScope act;
    if (!act.mayAct() || contextUid == 0 || !mayLaunchOn(stream)) return;
    const InsideScope inside(*thread);
    t_launching.isOpen = true;
    if (isWanted(Act::Delay)) delayLaunch(*thread, stream, contextUid);
    if (watchIsOn()) digestBefore(*thread, stream, contextUid);
}

void beforeLaunchCall(ThreadState& /*thread*/, const CUpti_CallbackData& data) {
    if (!actsOnWork()) return;
    const bool isPerThread = data.functionName != nullptr && isPerThreadName(data.functionName);
    const bool isGraph = data.functionName != nullptr &&
                         std::strncmp(data.functionName, "cuGraph", std::strlen("cuGraph")) == 0;
    const CUstream stream =
        isGraph ? static_cast<const cuGraphLaunch_params*>(data.functionParams)->hStream
                : static_cast<const cuLaunchCooperativeKernel_params*>(data.functionParams)->hStream;
    beforeLaunch(explicitStream(stream, isPerThread), data.contextUid);
}

void beforePlainLaunch(const CallRule& rule, const CUpti_CallbackData& data) {
    CUstream stream = nullptr;
    if (rule.launchForm == LaunchForm::Plain) {
        stream = static_cast<const cuLaunchKernel_params*>(data.functionParams)->hStream;
    } else {
        const CUlaunchConfig* config =
            static_cast<const cuLaunchKernelEx_params*>(data.functionParams)->config;
        if (config == nullptr) return;
        stream = config->hStream;
    }
    beforeLaunch(explicitStream(stream, rule.isPerThread), data.contextUid);
}

void afterWork(ThreadState& thread, std::uint16_t api, bool isLaunch, bool succeeded,
               std::uint64_t enterTicks) {
    noteThread(thread);
    const Launching launch = t_launching;
    t_launching.isOpen = false;
    const ActScope act;
    const bool mayAct = isLaunch && launch.isOpen && succeeded && act.mayAct() && mayLaunchOn(launch.stream);
    const InsideScope inside(thread);
    if (watchIsOn()) {
        if (mayAct) {
            digestAfter(thread, api, enterTicks);
        } else {
            dropDigestsBefore();
        }
    }
    if (!guardsAreOn()) return;
    if (mayAct) {
        checkAfterLaunch(thread, {api, launch.stream, enterTicks});
    } else {
        checkAfterWork(thread);
    }
}

void noteStream(CUstream stream, unsigned flags) {
    const bool isBlocking = stream == CU_STREAM_PER_THREAD || (flags & CU_STREAM_NON_BLOCKING) == 0;
    if (stream == CU_STREAM_LEGACY || stream == nullptr || !isBlocking) return;
    g_legacyUse.hasBlockingStreams.store(true, std::memory_order_relaxed);
}

}  // namespace vramscope::collector
