// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/poison.h"

#include "collector/inject/act_scope.h"
#include "collector/inject/collector.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/inside_scope.h"

namespace vramscope::collector {

namespace {

constinit CUfunction g_kernel = nullptr;

bool start() {
    g_kernel = OwnKernels::kernel("vramscope_poison");
    return g_kernel != nullptr;
}

constinit OwnKernels g_poison(Act::Poison, "poison", start);

void fill(CUdeviceptr address, std::uint64_t sizeBytes, CUstream stream) {
    constexpr unsigned kThreads = 256;
    constexpr std::uint64_t kMostBlocks = 4096;
    const std::uint64_t wanted = sizeBytes / (std::uint64_t{kThreads} * 64) + 1;
    const auto blocks = static_cast<unsigned>(wanted < kMostBlocks ? wanted : kMostBlocks);
    unsigned long long size = sizeBytes;
    void* arguments[] = {&address, &size};
    g_driverActions.launchKernel(g_kernel, blocks, 1, 1, kThreads, 1, 1, 0, stream, arguments, nullptr);
}

}  // namespace

void preparePoison() {
    g_poison.prepare(g_collector.config.poisons);
}

void poisonNew(Call& call, CUdeviceptr address, std::uint64_t sizeBytes, bool isOrdered, CUstream stream) {
    if (address == 0 || sizeBytes == 0) return;
    const ActScope act;
    if (!act.mayAct() || !g_poison.isReadyFor(call.data.contextUid)) return;
    fill(address, sizeBytes, isOrdered ? stream : OwnKernels::stream());
    // Nothing else puts the fill before what the job does with the memory on its own streams.
    if (!isOrdered) g_driverActions.streamSynchronize(OwnKernels::stream());
}

void poisonFreed(ThreadState& thread, CUdeviceptr address, bool isOrdered, CUstream stream) {
    if (!g_poison.isOn()) return;
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
    fill(address, sizeBytes, OwnKernels::stream());
    g_driverActions.streamSynchronize(OwnKernels::stream());
}

void endPoison(std::uint32_t contextUid) {
    g_poison.end(contextUid);
}

}  // namespace vramscope::collector
