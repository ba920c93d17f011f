// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/own_kernels.h"

#include "collector/inject/collector.h"
#include "collector/inject/device_image.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/log.h"

namespace vramscope::collector {

namespace {

enum class Loading : std::uint8_t { NotYet, Busy, Done, Failed };

struct OwnModule {
    std::atomic<Loading> loading{Loading::NotYet};
    CUmodule module = nullptr;
    CUstream stream = nullptr;
};

constinit OwnModule g_own;

Loading loadModule() {
    Loading seen = Loading::NotYet;
    if (!g_own.loading.compare_exchange_strong(seen, Loading::Busy, std::memory_order_acquire)) return seen;
    const DriverActions& driver = g_driverActions;
    const bool isLoaded = driver.moduleLoadData(&g_own.module, deviceImage()) == CUDA_SUCCESS &&
                          driver.streamCreate(&g_own.stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS;
    const Loading now = isLoaded ? Loading::Done : Loading::Failed;
    g_own.loading.store(now, std::memory_order_release);
    return now;
}

}  // namespace

void OwnKernels::setPhase(Phase phase) {
    m_phase.store(phase, std::memory_order_release);
    const auto bit = static_cast<std::uint8_t>(m_act);
    if (phase == Phase::Off) {
        g_hot.acts.fetch_and(static_cast<std::uint8_t>(~bit), std::memory_order_relaxed);
    } else {
        g_hot.acts.fetch_or(bit, std::memory_order_relaxed);
    }
}

void OwnKernels::prepare(bool isAskedFor) {
    // A forked child that starts CUDA of its own has its parent's values here.
    g_own.loading.store(Loading::NotYet, std::memory_order_relaxed);
    setPhase(Phase::Off);
    if (!isAskedFor) return;
    if (deviceImage() == nullptr) return turnOff("this vramscope was built without nvcc");
    if (!g_driverActions.areAllThere || g_driver.memGetAddressRange == nullptr)
        return turnOff("this driver lacks calls that are needed");
    setPhase(Phase::Wanted);
}

bool OwnKernels::isReadyFor(std::uint32_t contextUid) {
    if (contextUid == 0 || g_hot.onlyContextUid.load(std::memory_order_relaxed) != contextUid) return false;
    Phase phase = m_phase.load(std::memory_order_acquire);
    if (phase == Phase::On) return m_contextUid == contextUid;
    if (phase != Phase::Wanted || !m_phase.compare_exchange_strong(phase, Phase::Starting)) return false;
    const Loading loading = loadModule();
    if (loading == Loading::Busy) {
        // Another option is at it, in another thread.
        setPhase(Phase::Wanted);
        return false;
    }
    if (loading != Loading::Done || !m_start()) {
        turnOff("the driver did not take our kernels");
        return false;
    }
    m_contextUid = contextUid;
    setPhase(Phase::On);
    return true;
}

void OwnKernels::turnOff(const char* reason) {
    setPhase(Phase::Off);
    logLine("no %s in process %u: %s. Everything else is recorded.", m_what, g_collector.arena->pid, reason);
}

void OwnKernels::end(std::uint32_t contextUid) {
    if (isOnIn(contextUid)) setPhase(Phase::Off);
}

CUfunction OwnKernels::kernel(const char* name) {
    CUfunction function = nullptr;
    if (g_driverActions.moduleGetFunction(&function, g_own.module, name) != CUDA_SUCCESS) return nullptr;
    return function;
}

CUstream OwnKernels::stream() {
    return g_own.stream;
}

}  // namespace vramscope::collector
