// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/poison.h"

#include "collector/inject/act_scope.h"
#include "collector/inject/collector.h"
#include "collector/inject/device_image.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/inside_scope.h"
#include "collector/inject/log.h"

namespace vramscope::collector {

namespace {

enum class Phase : std::uint8_t { Off, Wanted, Starting, On };

struct Poison {
    std::atomic<Phase> phase{Phase::Off};
    std::uint32_t contextUid = 0;
    CUfunction kernel = nullptr;
    CUstream stream = nullptr;
};

constinit Poison g_poison;

void turnPoisonOff(const char* reason) {
    g_poison.phase.store(Phase::Off, std::memory_order_release);
    logLine("no poison in process %u: %s. Everything else is recorded.", g_collector.arena->pid, reason);
}

bool start(std::uint32_t contextUid) {
    CUmodule module = nullptr;
    if (g_driverActions.moduleLoadData(&module, deviceImage()) != CUDA_SUCCESS ||
        g_driverActions.moduleGetFunction(&g_poison.kernel, module, "vramscope_poison") != CUDA_SUCCESS ||
        g_driverActions.streamCreate(&g_poison.stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) {
        turnPoisonOff("the driver did not take the kernel for it");
        return false;
    }
    g_poison.contextUid = contextUid;
    g_poison.phase.store(Phase::On, std::memory_order_release);
    return true;
}

// As with guards, in processes with one context.
bool isReadyFor(std::uint32_t contextUid) {
    if (contextUid == 0 || g_hot.onlyContextUid.load(std::memory_order_relaxed) != contextUid) return false;
    Phase phase = g_poison.phase.load(std::memory_order_acquire);
    if (phase == Phase::Wanted && g_poison.phase.compare_exchange_strong(phase, Phase::Starting))
        return start(contextUid);
    return phase == Phase::On && g_poison.contextUid == contextUid;
}

void fill(CUdeviceptr address, std::uint64_t sizeBytes, CUstream stream) {
    constexpr unsigned kThreads = 256;
    constexpr std::uint64_t kMostBlocks = 4096;
    const std::uint64_t wanted = sizeBytes / (std::uint64_t{kThreads} * 64) + 1;
    const auto blocks = static_cast<unsigned>(wanted < kMostBlocks ? wanted : kMostBlocks);
    unsigned long long size = sizeBytes;
    void* arguments[] = {&address, &size};
    g_driverActions.launchKernel(g_poison.kernel, blocks, 1, 1, kThreads, 1, 1, 0, stream, arguments,
                                 nullptr);
}

}  // namespace

bool poisonIsOn() {
    return g_poison.phase.load(std::memory_order_relaxed) != Phase::Off;
}

void preparePoison() {
    g_poison.phase.store(Phase::Off);
    if (!g_collector.config.poisons) return;
    if (deviceImage() == nullptr) return turnPoisonOff("this vramscope was built without nvcc");
    if (!g_driverActions.areAllThere || g_driver.memGetAddressRange == nullptr)
        return turnPoisonOff("this driver lacks calls that it needs");
    g_poison.phase.store(Phase::Wanted);
}

void poisonNew(Call& call, CUdeviceptr address, std::uint64_t sizeBytes, bool isOrdered, CUstream stream) {
    if (address == 0 || sizeBytes == 0) return;
    const ActScope act;
    if (!act.mayAct() || !isReadyFor(call.data.contextUid)) return;
    fill(address, sizeBytes, isOrdered ? stream : g_poison.stream);
    // Nothing else puts the fill before what the job does with the memory on its own streams.
    if (!isOrdered) g_driverActions.streamSynchronize(g_poison.stream);
}

void poisonFreed(ThreadState& thread, CUdeviceptr address, bool isOrdered, CUstream stream) {
    if (g_poison.phase.load(std::memory_order_acquire) != Phase::On) return;
    const InsideScope inside(thread);
    const ActScope act;
    CUdeviceptr base = 0;
    std::size_t sizeBytes = 0;
    // What the job frees may be anything; only the beginning of a block is memory that this free ends.
    if (!act.mayAct() || g_driver.memGetAddressRange(&base, &sizeBytes, address) != CUDA_SUCCESS ||
        base != address)
        return;
    if (isOrdered) return fill(address, sizeBytes, stream);
    // A free of plain memory waits for the device anyway.
    g_driverActions.contextSynchronize();
    fill(address, sizeBytes, g_poison.stream);
    g_driverActions.streamSynchronize(g_poison.stream);
}

void endPoison(std::uint32_t contextUid) {
    if (poisonIsOn() && contextUid == g_poison.contextUid)
        g_poison.phase.store(Phase::Off, std::memory_order_release);
}

}  // namespace vramscope::collector
