// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/perturb.h"

#include "collector/inject/act_scope.h"
#include "collector/inject/collector.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/inside_scope.h"

namespace vramscope::collector {

namespace {

constexpr std::uint32_t kPlacementStep = 512;  ///< the driver's own
constexpr std::uint32_t kPlacements = 8;
/// One launch of so many is delayed, by at most this long.
constexpr std::uint64_t kLaunchesPerDelay = 8;
constexpr std::uint32_t kLongestDelayNs = 200'000;
/// Only blocks up to this size are held, one at a time, and only while the device has so much more free.
constexpr std::uint64_t kMostHeldBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kRoomBytes = std::uint64_t{1} << 30;

constinit CUfunction g_kernel = nullptr;
/// The one block that we hold in the place of a freed one; 0 none, kBusy while a thread is at it.
constinit std::atomic<CUdeviceptr> g_held{0};
constexpr CUdeviceptr kBusy = 1;

bool start() {
    g_kernel = OwnKernels::kernel("vramscope_delay");
    return g_kernel != nullptr;
}

constinit OwnKernels g_own(Act::Delay, "perturbation", start);

struct Decisions {
    std::uint32_t thread;  ///< number of the thread, in the order in which threads came to decide; 0 none yet
    std::uint32_t count;
    std::uint64_t freedBytes;  ///< inside a free: size of the block
};
constinit thread_local Decisions t_decisions{};
constinit std::atomic<std::uint32_t> g_threads{0};

// The next decision of this thread: the same for the same seed, thread and number.
std::uint64_t decide() {
    Decisions& mine = t_decisions;
    if (mine.thread == 0) mine.thread = g_threads.fetch_add(1, std::memory_order_relaxed) + 1;
    std::uint64_t value = g_collector.config.perturbSeed ^ (std::uint64_t{mine.thread} << 32 | mine.count++);
    for (int i = 0; i < 2; ++i) {
        value = (value ^ (value >> 31)) * 0x7FB5'D329'728E'A185ull;
        value = (value ^ (value >> 27)) * 0x81DA'DEF4'BC2D'D44Dull;
    }
    return value ^ (value >> 33);
}

}  // namespace

void preparePerturbation() {
    g_held.store(0);
    g_threads.store(0);
    g_own.prepare(g_collector.config.perturbs);
}

std::uint32_t placementBytes() {
    if (!isWanted(Act::Delay)) return 0;
    return static_cast<std::uint32_t>(decide() % kPlacements) * kPlacementStep;
}

void delayLaunch(ThreadState& /*thread*/, CUstream stream, std::uint32_t contextUid) {
    if (!g_own.isReadyFor(contextUid)) return;
    const std::uint64_t decision = decide();
    if (decision % kLaunchesPerDelay != 0) return;
    unsigned nanoseconds = static_cast<unsigned>((decision >> 8) % kLongestDelayNs);
    void* arguments[] = {&nanoseconds};
    g_driverActions.launchKernel(g_kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
}

void beforeReuse(ThreadState& thread, CUdeviceptr address) {
    t_decisions.freedBytes = 0;
    if (!g_own.isOn()) return;
    const InsideScope inside(thread);
    CUdeviceptr base = 0;
    std::size_t sizeBytes = 0;
    if (!mayCallDriver() || g_driver.memGetAddressRange(&base, &sizeBytes, address) != CUDA_SUCCESS ||
        base != address)
        return;
    t_decisions.freedBytes = sizeBytes;
}

void afterFree(Call& call) {
    const std::uint64_t sizeBytes = t_decisions.freedBytes;
    t_decisions.freedBytes = 0;
    if (sizeBytes == 0 || sizeBytes > kMostHeldBytes || !call.succeeded()) return;
    const bool holds = decide() % 2 == 0;
    const ActScope act;
    if (!act.mayAct() || !g_own.isOnIn(call.data.contextUid)) return;
    CUdeviceptr held = g_held.load(std::memory_order_relaxed);
    if (held == kBusy || !g_held.compare_exchange_strong(held, kBusy)) return;
    // The job's own free has just waited for the device, so this does not make it wait again.
    if (held != 0) g_driverActions.memFree(held);
    held = 0;
    std::size_t freeBytes = 0;
    std::size_t totalBytes = 0;
    if (holds && g_driverActions.memGetInfo(&freeBytes, &totalBytes) == CUDA_SUCCESS &&
        freeBytes >= kRoomBytes + sizeBytes && g_driverActions.memAlloc(&held, sizeBytes) != CUDA_SUCCESS) {
        held = 0;
    }
    g_held.store(held);
}

void makeRoom(std::uint64_t freeBytes, std::uint64_t sizeBytes) {
    if (freeBytes >= kRoomBytes / 2 + sizeBytes) return;
    CUdeviceptr held = g_held.load(std::memory_order_relaxed);
    if (held > kBusy && g_held.compare_exchange_strong(held, 0)) g_driverActions.memFree(held);
}

void endPerturbation(std::uint32_t contextUid) {
    if (g_own.isOnIn(contextUid)) g_held.store(0);
    g_own.end(contextUid);
}

}  // namespace vramscope::collector
