// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/exact.h"

#include <atomic>
#include <cstdio>

#include "collector/inject/call_table.h"
#include "collector/inject/captures.h"
#include "collector/inject/clock.h"
#include "collector/inject/collector.h"
#include "collector/inject/device_image.h"
#include "collector/inject/exact_code.h"
#include "collector/inject/exact_records.h"
#include "collector/inject/flight_list.h"
#include "collector/inject/inside_scope.h"
#include "collector/inject/live_table.h"
#include "collector/inject/log.h"
#include "collector/inject/mark_ring.h"
#include "collector/inject/sanitizer_api.h"
#include "collector/inject/spin_lock.h"

namespace vramscope::collector {

namespace {

enum class Phase : std::uint8_t { Off, Wanted, On };

/// Grids of fewer blocks hardly meet in one mark.
constexpr std::uint64_t kBlocksThatMeet = 128;
constexpr std::uint32_t kStripes = 8;

struct Patch {
    int instruction;
    const char* function;
};
constexpr Patch kPatches[] = {
    {sanitizer::kGlobalMemoryAccess, "vramscope_exact_access"},
    {sanitizer::kMemcpyAsync, "vramscope_exact_copy"},
    {sanitizer::kBulkCopyGlobalToShared, "vramscope_exact_bulk_read"},
    {sanitizer::kBulkCopySharedToGlobal, "vramscope_exact_bulk_write"},
    {sanitizer::kBulkReductionSharedToGlobal, "vramscope_exact_bulk_write"},
};

/// A launch that cannot be marked by then goes without: its callback comes from within the driver, which the
/// thread that reads marks may be waiting for.
constexpr std::uint64_t kLaunchPatienceNs = 5'000'000;
/// What must not be missed. Nobody holds the lock so long but in such an embrace.
constexpr std::uint64_t kPatienceNs = 500'000'000;

/// Beyond these no launch counts as seen: they are not expected at all.
constexpr std::uint32_t kMostUnpatched = 64;

struct Exact {
    std::atomic<Phase> phase{Phase::Off};
    SpinLock lock;  ///< of all below
    LiveTable live;
    MarkRing ring;
    CUcontext context = nullptr;  ///< the one that is marked
    std::uint64_t nextNumber = 1;
    FlightList flights;
    CUmodule unpatched[kMostUnpatched] = {};   ///< modules whose code stayed as it is
    std::uint32_t unpatchedCount = 0;          ///< may be more
    std::atomic<bool> hasMissedModule{false};  ///< one came or went unseen: no launch counts as seen any more
};

constinit Exact g_exact;

void turnExactOff(const char* reason) {
    g_exact.phase.store(Phase::Off, std::memory_order_release);
    logLine("no exact accesses in process %u from here on: %s. Everything else is recorded.",
            g_collector.arena->pid, reason);
}

// Without it nothing could be said of whose memory is whose.
void missLiveMemory() {
    turnExactOff("two threads of the job held each other up");
}

void countUnmarked() {
    g_collector.arena->unmarkedLaunches.fetch_add(1, std::memory_order_relaxed);
}

// With the lock.
template <typename Wants>
void readMarks(ThreadState& thread, Wants wants) {
    const std::uint64_t limit = g_exact.flights.limit(g_exact.nextNumber);
    const bool isFine = g_exact.ring.read(limit, wants, [&](const LaunchMarks& launch) {
        static_cast<void>(tellExactAccesses(thread, launch));
    });
    if (!isFine) turnExactOff("a kernel of the job failed");
}

void readAllMarks(ThreadState& thread) {
    readMarks(thread, [](const MarkStream&) { return true; });
}

// With the lock, in the first launch.
bool start(CUcontext context) {
    if (!g_exact.ring.start(context)) {
        turnExactOff("there was no device memory for them");
        return false;
    }
    g_exact.context = context;
    g_exact.phase.store(Phase::On, std::memory_order_release);
    return true;
}

// With the lock. Null when the launch goes without.
const device::ExactLaunch* place(ThreadState& thread, std::uint64_t number, MarkStream stream,
                                 std::uint32_t stripes) {
    const device::ExactLaunch* launch = g_exact.ring.place(number, stream, g_exact.live, stripes);
    if (launch != nullptr) return launch;
    readAllMarks(thread);
    g_exact.ring.reset();
    return exactIsOn() ? g_exact.ring.place(number, stream, g_exact.live, stripes) : nullptr;
}

// With the lock.
bool isPatched(CUmodule module) {
    if (g_exact.unpatchedCount > kMostUnpatched || g_exact.hasMissedModule.load()) return false;
    for (std::uint32_t i = 0; i < g_exact.unpatchedCount; ++i) {
        if (g_exact.unpatched[i] == module) return false;
    }
    return true;
}

void missModule() {
    g_exact.hasMissedModule.store(true);
}

// With the lock.
void tellCode(const sanitizer::ModuleData& module) {
    ThreadState* thread = isRecording() ? currentThread() : nullptr;
    if (thread == nullptr) return;
    const InsideScope inside(*thread);
    exactCodeLoaded(*thread, module);
}

bool waitsForContext(std::uint32_t id) {
    switch (id) {
        case VRAMSCOPE_ID(cuCtxSynchronize):
        case VRAMSCOPE_ID(cuCtxSynchronize_v2):
        case VRAMSCOPE_ID(cuMemFree_v2):
        case VRAMSCOPE_ID(cuMemFreeHost):
            return true;
        default:
            return false;
    }
}

bool waitsForStream(std::uint32_t id) {
    return id == VRAMSCOPE_ID(cuStreamSynchronize) || id == VRAMSCOPE_ID(cuStreamSynchronize_ptsz);
}

}  // namespace

bool exactIsOn() {
    return g_exact.phase.load(std::memory_order_acquire) != Phase::Off;
}

bool prepareExact(char* reason, std::size_t reasonBytes) {
    if (exactPatchImage() == nullptr) {
        std::snprintf(reason, reasonBytes, "--engine exact is not in this build: it was made without nvcc.");
        return false;
    }
    if (!g_exact.live.start()) {
        std::snprintf(reason, reasonBytes, "out of memory");
        return false;
    }
    g_exact.phase.store(Phase::Wanted, std::memory_order_release);
    return true;
}

void exactMemoryAdded(std::uint64_t address, std::uint64_t sizeBytes) {
    if (!exactIsOn()) return;
    const SpinGuard guard(g_exact.lock, kPatienceNs);
    if (!guard.isHeld()) return missLiveMemory();
    g_exact.live.add({address, sizeBytes, nowTicks()});
}

void exactMemoryRemoved(std::uint64_t address, std::uint64_t enterTicks) {
    exactRangeRemoved(address, 1, enterTicks);
}

void exactRangeRemoved(std::uint64_t address, std::uint64_t sizeBytes, std::uint64_t enterTicks) {
    if (!exactIsOn()) return;
    const SpinGuard guard(g_exact.lock, kPatienceNs);
    if (!guard.isHeld()) return missLiveMemory();
    g_exact.live.remove(address, address + sizeBytes, enterTicks);
}

void exactModuleLoaded(const sanitizer::ModuleData& module) {
    if (!exactIsOn()) return;
    // The library wants these calls one after another.
    const SpinGuard guard(g_exact.lock, kPatienceNs);
    if (!guard.isHeld()) return missModule();
    bool isDone = g_sanitizer.addPatches(exactPatchImage(), module.context) == sanitizer::kSuccess;
    for (const Patch& patch : kPatches) {
        const bool isKnown = g_sanitizer.patchInstructions(patch.instruction, module.module,
                                                           patch.function) == sanitizer::kSuccess;
        // Older libraries do not know all instructions, but they know the plain ones.
        if (patch.instruction == sanitizer::kGlobalMemoryAccess) isDone = isDone && isKnown;
    }
    isDone = g_sanitizer.patchModule(module.module) == sanitizer::kSuccess && isDone;
    if (isDone) return tellCode(module);
    if (g_exact.unpatchedCount < kMostUnpatched) g_exact.unpatched[g_exact.unpatchedCount] = module.module;
    if (g_exact.unpatchedCount++ == 0)
        logLine("a module's code could not be patched: what its kernels access is not seen.");
}

void exactModuleUnloads(const sanitizer::ModuleData& module) {
    if (!exactIsOn()) return;
    const SpinGuard guard(g_exact.lock, kPatienceNs);
    if (!guard.isHeld()) return missModule();
    exactCodeUnloads(module.module);
}

void exactLaunchBegins(const sanitizer::LaunchData& launch, bool isGraphNode) {
    if (!isRecording()) return;
    OpenCall* call = innermostDriverCall();
    if (!exactIsOn() || call == nullptr || call->enterTicks == 0) return countUnmarked();
    ThreadState* thread = currentThread();
    if (thread == nullptr) return;
    const InsideScope inside(*thread);
    // Of reading, copying and setting it is not known that no capture minds them.
    if (!mayAskDriver()) return countUnmarked();
    const SpinGuard guard(g_exact.lock, kLaunchPatienceNs);
    if (!guard.isHeld()) return countUnmarked();
    if (g_exact.context == nullptr && !start(launch.context)) return;
    if (launch.context != g_exact.context || !isPatched(launch.module)) return countUnmarked();
    const std::uint64_t number = g_exact.nextNumber;
    if (call->flight == 0) call->flight = g_exact.flights.enter(number);
    if (call->flight == 0) return countUnmarked();
    ++g_exact.nextNumber;
    const std::uint64_t blocks = std::uint64_t{launch.gridX} * launch.gridY * launch.gridZ;
    const device::ExactLaunch* data = place(*thread, number, {launch.streamHandle, launch.stream},
                                            blocks >= kBlocksThatMeet ? kStripes : 1);
    if (data == nullptr ||
        g_sanitizer.setLaunchCallbackData(launch.launch, launch.function, launch.streamHandle, data) !=
            sanitizer::kSuccess) {
        return countUnmarked();
    }
    tellExactLaunch(*thread, *call, number, isGraphNode ? launch.functionName : nullptr,
                    exactKernelPc(*thread, launch));
    g_collector.arena->markedLaunches.fetch_add(1, std::memory_order_relaxed);
}

void exactAfterCall(std::uint32_t id, const CUpti_CallbackData& data, OpenCall& call) {
    if (call.flight != 0) g_exact.flights.leave(call.flight);
    if (!isRecording() || !exactIsOn() || *static_cast<const CUresult*>(data.functionReturnValue) != 0)
        return;
    const bool isWhole = waitsForContext(id);
    if (!isWhole && !waitsForStream(id)) return;
    ThreadState* thread = currentThread();
    if (thread == nullptr || !mayAskDriver()) return;
    const InsideScope inside(*thread);
    // What is not read now is read at the next wait.
    const SpinGuard guard(g_exact.lock, kPatienceNs);
    if (!guard.isHeld()) return;
    const CUstream waited =
        isWhole ? nullptr : static_cast<const cuStreamSynchronize_params*>(data.functionParams)->hStream;
    readMarks(*thread, [&](const MarkStream& stream) {
        return isWhole || stream.stream == waited || (stream.stream == nullptr && waited == CU_STREAM_LEGACY);
    });
}

void exactContextEnds(CUcontext context) {
    if (!isRecording() || !exactIsOn() || context != g_exact.context || !mayAskDriver()) return;
    ThreadState* thread = currentThread();
    if (thread == nullptr) return;
    const InsideScope inside(*thread);
    const SpinGuard guard(g_exact.lock, kPatienceNs);
    if (guard.isHeld()) readAllMarks(*thread);
    g_exact.phase.store(Phase::Off, std::memory_order_release);
}

void exactProcessEnds() {
    exactContextEnds(g_exact.context);
}

}  // namespace vramscope::collector
