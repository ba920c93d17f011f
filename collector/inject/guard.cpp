// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/guard.h"

#include <algorithm>

#include "collector/inject/act_scope.h"
#include "collector/inject/clock.h"
#include "collector/inject/collector.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/guard_kernels.h"
#include "collector/inject/guard_table.h"
#include "collector/inject/inside_scope.h"
#include "collector/inject/perturb.h"

namespace vramscope::collector {

namespace {

constexpr std::uint32_t kLaunchesBetweenChecks = 256;
constexpr std::uint32_t kOrderedFreesBetweenHarvests = 64;
/// Allocations that would leave less than this go without a guard: a job must not fail for our sake.
constexpr std::size_t kSpareBytes = std::size_t{256} << 20;
/// Bytes to which the driver rounds a small allocation up at least: the slack behind it.
constexpr std::uint64_t kSlackAlignment = 512;

struct Guards {
    GuardKernels kernels;
    GuardTable table;
    std::atomic<bool> isMeasured{false};
    std::atomic<std::uint64_t> lastCleanTicks{0};
    std::atomic<std::uint32_t> launches{0};         ///< and copies, sets, graph launches: whatever may write
    std::atomic<std::uint32_t> launchesChecked{0};  ///< of them, those before the latest full check
    std::atomic<std::uint32_t> orderedFrees{0};
    LaunchChecks checks;
    std::atomic_flag isHarvesting = ATOMIC_FLAG_INIT;
};

constinit Guards g_guards;

// In the context of the first allocation, which lives as long as the job's memory does.
bool start() {
    if (!g_guards.kernels.load(2 * GuardTable::kPlaces)) return false;
    if (!g_guards.table.start(g_guards.kernels.slots()) ||
        !g_guards.checks.start(g_collector.config.guardsEveryLaunch))
        return false;
    g_guards.lastCleanTicks.store(nowTicks(), std::memory_order_relaxed);
    return true;
}

constinit OwnKernels g_own(Act::Guard, "guard bytes", start);

// The driver honours the enlargement, or it does not: the first one tells.
bool isHonoured(CUdeviceptr address, std::uint64_t wantedBytes) {
    if (g_guards.isMeasured.load(std::memory_order_relaxed)) return true;
    CUdeviceptr base = 0;
    std::size_t sizeBytes = 0;
    if (g_driver.memGetAddressRange == nullptr ||
        g_driver.memGetAddressRange(&base, &sizeBytes, address) != CUDA_SUCCESS ||
        base + sizeBytes < address + wantedBytes) {
        g_own.turnOff("this driver does not let allocations be enlarged");
        return false;
    }
    g_guards.isMeasured.store(true, std::memory_order_relaxed);
    return true;
}

std::uint64_t guardBytesFor(std::uint64_t sizeBytes) {
    if (!g_collector.config.guardsSlack) return g_collector.config.guardBytes;
    return (kSlackAlignment - sizeBytes % kSlackAlignment) % kSlackAlignment;
}

void tell(ThreadState& thread, const GuardedBuffer& buffer, const device::GuardSlot& slot,
          std::uint64_t sinceTicks) {
    const LaunchCheck* check = g_guards.checks.find(slot.foundBy);
    const std::uint32_t slots = check != nullptr ? 2 : 1;
    formats::Record* record = reserve(thread, slots);
    if (record == nullptr) return;
    record->header.type = static_cast<std::uint16_t>(formats::RecordType::GuardHit);
    record->header.slotCount = static_cast<std::uint8_t>(slots);
    record->header.enterTicks = record->header.exitTicks = nowTicks();
    record->header.contextUid = g_own.contextUid();
    record->guardHit = {buffer.address.load(std::memory_order_relaxed), buffer.allocTicks,
                        std::max(sinceTicks, buffer.allocTicks), slot.firstChanged, slot.changedBytes};
    if (check != nullptr) {
        record->header.api = check->api;
        record->guardHit.sinceTicks = std::max(check->launch.fromTicks, buffer.allocTicks);
        *reinterpret_cast<formats::WorkCall*>(record + 1) = check->launch;
    }
    publish(thread, slots);
}

// Tells of all guards that changed, and forgets those that stream order has ended. One thread at a time.
void harvest(ThreadState& thread, std::uint64_t sinceTicks) {
    if (g_guards.isHarvesting.test_and_set(std::memory_order_acquire)) return;
    GuardTable& table = g_guards.table;
    if (g_guards.kernels.takeHits() != 0) {
        for (std::uint32_t i = 0; i < table.plainEnd(); ++i) {
            device::GuardSlot& slot = table.slots()[i];
            if (__atomic_load_n(&slot.changedBytes, __ATOMIC_ACQUIRE) == 0) continue;
            // One finding a buffer: its guard is not looked at again.
            __atomic_store_n(&slot.address, 0ull, __ATOMIC_RELEASE);
            tell(thread, table.at(i), slot, sinceTicks);
            slot.changedBytes = 0;
        }
    }
    for (std::uint32_t i = GuardTable::kPlaces; i < table.orderedEnd(); ++i) {
        GuardedBuffer& buffer = table.at(i);
        device::GuardSlot& slot = table.slots()[i];
        if (!buffer.isEnding.load(std::memory_order_acquire) ||
            __atomic_load_n(&slot.threadsDone, __ATOMIC_ACQUIRE) < device::kThreadsPerGuard) {
            continue;
        }
        if (slot.changedBytes != 0) tell(thread, buffer, slot, buffer.allocTicks);
        slot.address = 0;
        table.release(buffer);
    }
    g_guards.isHarvesting.clear(std::memory_order_release);
}

// The last look at the guard of stream-ordered memory, in the order of `stream`. harvest() frees the place.
void checkOrdered(GuardedBuffer& buffer, CUstream stream) {
    const ActScope act;
    if (!act.mayAct()) return g_guards.table.release(buffer);
    device::GuardSlot& slot = g_guards.table.slotOf(buffer);
    slot.address = buffer.address.load(std::memory_order_relaxed) + buffer.sizeBytes;
    buffer.isEnding.store(true, std::memory_order_release);
    g_guards.kernels.check(&slot, 1, true, g_guards.checks.nextNumber(), stream);
}

// All plain guards, to the end.
void checkAll(ThreadState& thread) {
    const InsideScope inside(thread);
    const std::uint64_t startTicks = nowTicks();
    g_guards.launchesChecked.store(g_guards.launches.load(std::memory_order_relaxed),
                                   std::memory_order_relaxed);
    g_guards.kernels.check(g_guards.table.slots(), g_guards.table.plainEnd(), false,
                           g_guards.checks.nextNumber(), OwnKernels::stream());
    if (!g_guards.kernels.wait()) return;
    harvest(thread, g_guards.lastCleanTicks.exchange(startTicks, std::memory_order_relaxed));
}

struct NewGuard {
    CUdeviceptr address;
    std::uint64_t sizeBytes;
    std::uint64_t guardBytes;
    bool isOrdered;
    bool isEnlarged;
    CUstream stream;
};

// False when the buffer goes without.
bool addGuard(const Call& call, const NewGuard& wanted) {
    const std::uint64_t wholeBytes = wanted.sizeBytes + wanted.guardBytes;
    if (wanted.guardBytes == 0 || (!wanted.isEnlarged && !g_collector.config.guardsSlack)) return false;
    const ActScope act;
    if (!act.mayAct() || !g_own.isReadyFor(call.data.contextUid)) return false;
    if (wanted.isEnlarged && !isHonoured(wanted.address, wholeBytes)) return false;

    const CUdeviceptr guard = wanted.address + wanted.sizeBytes;
    const auto guardBytes = static_cast<unsigned>(wanted.guardBytes);
    if (!g_guards.kernels.fill(guard, guardBytes, wanted.isOrdered ? wanted.stream : OwnKernels::stream()))
        return false;
    // Nothing else puts the fill before what the job does with the buffer on its own streams.
    if (!wanted.isOrdered && !g_guards.kernels.wait()) return false;
    GuardedBuffer* buffer = g_guards.table.claim(wanted.isOrdered);
    if (buffer == nullptr) return false;
    buffer->sizeBytes = wanted.sizeBytes;
    buffer->allocTicks = call.exitTicks;
    device::GuardSlot& slot = g_guards.table.slotOf(*buffer);
    slot = {0, guardBytes, 0, guardBytes, 0, 0, 0};
    buffer->address.store(wanted.address, std::memory_order_release);
    if (!wanted.isOrdered) __atomic_store_n(&slot.address, guard, __ATOMIC_RELEASE);
    return true;
}

}  // namespace

void prepareGuards() {
    g_own.prepare(g_collector.config.guardBytes != 0);
}

void enlargeForGuard(ThreadState& thread, std::size_t& sizeBytes) {
    thread.requestedBytes = 0;
    thread.addedBytes = 0;
    if (!guardsAreOn() || sizeBytes == 0 || g_collector.config.guardsSlack) return;
    const ActScope act;
    if (!act.mayAct()) return;
    const InsideScope inside(thread);
    std::size_t freeBytes = 0;
    std::size_t totalBytes = 0;
    const std::uint64_t guardBytes = guardBytesFor(sizeBytes) + placementBytes();
    if (g_driverActions.memGetInfo(&freeBytes, &totalBytes) != CUDA_SUCCESS) return;
    makeRoom(freeBytes, sizeBytes);
    if (freeBytes < sizeBytes || freeBytes - sizeBytes < guardBytes + kSpareBytes) return;
    thread.requestedBytes = sizeBytes;
    thread.addedBytes = static_cast<std::uint32_t>(guardBytes);
    sizeBytes += guardBytes;
}

std::uint64_t sizeWithoutGuard(const Call& call, std::uint64_t sizeBytes) {
    return call.thread.requestedBytes != 0 ? call.thread.requestedBytes : sizeBytes;
}

void registerGuard(Call& call, CUdeviceptr address, std::uint64_t sizeBytes, bool isOrdered,
                   CUstream stream) {
    const bool isEnlarged = call.thread.requestedBytes != 0;
    call.thread.requestedBytes = 0;
    if (address == 0) return;
    const std::uint64_t guardBytes = isEnlarged ? call.thread.addedBytes : guardBytesFor(sizeBytes);
    formats::ArenaHeader& arena = *g_collector.arena;
    if (addGuard(call, {address, sizeBytes, guardBytes, isOrdered, isEnlarged, stream})) {
        arena.guardedBuffers.fetch_add(1, std::memory_order_relaxed);
        arena.guardBytes.fetch_add(guardBytes, std::memory_order_relaxed);
    } else {
        arena.unguardedBuffers.fetch_add(1, std::memory_order_relaxed);
    }
}

void checkBeforeFree(ThreadState& thread, CUdeviceptr address, bool isOrdered, CUstream stream) {
    if (!g_own.isOn()) return;
    const InsideScope inside(thread);
    const ActScope act;
    GuardTable& table = g_guards.table;
    if (GuardedBuffer* buffer = table.find(address, true)) {
        // The driver lets a plain free end ordered memory: then nothing but waiting puts the check before it.
        if (!isOrdered && act.mayAct()) g_driverActions.contextSynchronize();
        checkOrdered(*buffer, isOrdered ? stream : OwnKernels::stream());
        // Unlike a free of plain memory this one does not wait: the memory may go while our kernel reads it.
        if (!isOrdered && act.mayAct()) g_guards.kernels.wait();
        // Their places are few.
        if (g_guards.orderedFrees.fetch_add(1, std::memory_order_relaxed) % kOrderedFreesBetweenHarvests == 0)
            harvest(thread, g_guards.lastCleanTicks.load(std::memory_order_relaxed));
        return;
    }
    GuardedBuffer* buffer = table.find(address, false);
    if (buffer == nullptr) return;
    if (!isOrdered && act.mayAct()) {
        // A free of plain memory waits for the device anyway.
        g_driverActions.contextSynchronize();
        checkAll(thread);
    }
    __atomic_store_n(&table.slotOf(*buffer).address, 0ull, __ATOMIC_RELEASE);
    // The driver lets an ordered free end plain memory, and does not wait for a check that is on its way.
    if (isOrdered && act.mayAct()) g_driverActions.contextSynchronize();
    table.release(*buffer);
}

void endGuards(std::uint32_t contextUid) {
    g_own.end(contextUid);
}

void checkAfterSync(Call& call) {
    if (!call.succeeded() || !g_own.isOnIn(call.data.contextUid)) return;
    // A loop that asks and asks has written nothing meanwhile.
    if (g_guards.launches.load(std::memory_order_relaxed) ==
        g_guards.launchesChecked.load(std::memory_order_relaxed)) {
        return;
    }
    const ActScope act;
    if (act.mayAct()) checkAll(call.thread);
}

void checkAfterWork(ThreadState& thread) {
    if (!g_own.isOn()) return;
    const std::uint32_t launch = g_guards.launches.fetch_add(1, std::memory_order_relaxed) + 1;
    if (launch % kLaunchesBetweenChecks != 0) return;
    const ActScope act;
    if (!act.mayAct()) return;
    const InsideScope inside(thread);
    // Nothing waits for it: what an earlier one saw is told now.
    harvest(thread, g_guards.lastCleanTicks.load(std::memory_order_relaxed));
    g_guards.kernels.check(g_guards.table.slots(), g_guards.table.plainEnd(), false,
                           g_guards.checks.nextNumber(), OwnKernels::stream());
}

void checkAfterLaunch(ThreadState& thread, const MadeLaunch& launch) {
    if (!g_guards.checks.isOn()) return checkAfterWork(thread);
    if (!g_own.isOn()) return;
    g_guards.launches.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t cleanTicks = g_guards.lastCleanTicks.load(std::memory_order_relaxed);
    const std::uint32_t number = g_guards.checks.nextBehind(thread, launch, cleanTicks);
    if (number % kLaunchesBetweenChecks == 0) harvest(thread, cleanTicks);
    // Plain memory alone: the end of such a buffer waits for what may still look at its guard.
    g_guards.kernels.check(g_guards.table.slots(), g_guards.table.plainEnd(), false, number, launch.stream);
}

std::uint64_t guardBytesAt(CUdeviceptr address) {
    if (!g_own.isOn() || g_collector.config.guardsSlack) return 0;
    for (const bool isOrdered : {false, true}) {
        GuardedBuffer* buffer = g_guards.table.find(address, isOrdered);
        if (buffer != nullptr) return g_guards.table.slotOf(*buffer).sizeBytes;
    }
    return 0;
}

}  // namespace vramscope::collector
