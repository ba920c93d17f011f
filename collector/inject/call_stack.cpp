// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/call_stack.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unistd.h>

#include "collector/inject/cancellation_guard.h"
#include "collector/inject/clock.h"
#include "collector/inject/stack_table.h"
#include "collector/inject/text_record.h"
#include "collector/unwind/module_finder.h"
#include "collector/unwind/stack_bounds.h"
#include "collector/unwind/unwinder.h"

namespace vramscope::collector {

namespace {

constexpr std::size_t kMaxFrames = 256;
constexpr std::size_t kMaxModules = 8192;

struct KnownModule {
    std::uint64_t start;
    std::uint64_t end;
};

// Modules told to the recorder so far. Appended to under a spin on the count's own slot is not needed: two
// threads may announce one module twice, which the recorder takes as one.
KnownModule g_modules[kMaxModules];
std::atomic<std::uint32_t> g_moduleCount{0};
unwind::ModuleRange g_ownModule;

bool isOurs(std::uint64_t address) {
    return address >= g_ownModule.start && address < g_ownModule.end;
}

bool isKnown(std::uint64_t address) {
    const std::uint32_t count = g_moduleCount.load(std::memory_order_acquire);
    for (std::uint32_t i = count; i-- > 0;) {
        if (address >= g_modules[i].start && address < g_modules[i].end) return true;
    }
    return false;
}

void remember(const unwind::ModuleRange& module) {
    static std::atomic_flag busy = ATOMIC_FLAG_INIT;
    // Whoever finds it busy leaves the module unremembered: it will be announced again, which is harmless.
    if (busy.test_and_set(std::memory_order_acquire)) return;
    const std::uint32_t count = g_moduleCount.load(std::memory_order_relaxed);
    if (count < kMaxModules) {
        g_modules[count] = {module.start, module.end};
        g_moduleCount.store(count + 1, std::memory_order_release);
    }
    busy.clear(std::memory_order_release);
}

void formatBuildId(const unwind::ByteRange& bytes, char (&out)[65]) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::size_t length = 0;
    for (const auto* at = bytes.begin; at != bytes.end && length + 2 < sizeof(out); ++at) {
        out[length++] = kDigits[*at >> 4];
        out[length++] = kDigits[*at & 15];
    }
    out[length] = '\0';
}

void announceModule(ThreadState& thread, std::uint64_t address) {
    unwind::ModuleRange module;
    if (!unwind::findModule(address, &module)) return;
    char buildId[65];
    formatBuildId(module.buildId, buildId);
    const char* path = module.path[0] != '\0' ? module.path : g_collector.arena->executable;

    std::uint32_t textBytes = 0;
    formats::Record* record = reserveText(thread, buildId, path, textBytes);
    if (record == nullptr) return;
    record->header.type = static_cast<std::uint16_t>(formats::RecordType::HostModule);
    record->header.enterTicks = record->header.exitTicks = nowTicks();
    record->hostModule = {module.start, module.end - module.start, textBytes, 0, module.loadBias};
    publish(thread, record->header.slotCount);
    // Only now: if the ring was full, the next stack tells of the module again.
    remember(module);
}

std::uint64_t hashOf(const std::uint64_t* addresses, std::size_t count) {
    std::uint64_t hash = count + 1;
    for (std::size_t i = 0; i < count; ++i) {
        hash = (hash ^ addresses[i]) * 0x9FB2'1C65'1E98'DF25ull;
        hash ^= hash >> 32;
    }
    return hash != 0 ? hash : 1;
}

std::uint32_t internStack(ThreadState& thread, const std::uint64_t* addresses, std::size_t count) {
    std::uint32_t id = 0;
    for (std::size_t i = count; i-- > 0;) {
        const StackNodeRef node = internStackNode(id, addresses[i]);
        if (node.id == 0) return id;
        if (node.isNew && !isKnown(addresses[i])) announceModule(thread, addresses[i]);
        id = node.id;
    }
    return id;
}

void findBounds(ThreadState& thread) {
    const CancellationGuard noCancellation;
    const unwind::StackBounds bounds = unwind::findStackBounds();
    thread.stackLow = bounds.low;
    thread.stackHigh = bounds.high;
}

std::size_t unwindHere(ThreadState& thread, std::uint64_t* addresses, std::size_t capacity) {
    unwind::Unwinder& unwinder = unwind::Unwinder::processWide();
    if (thread.stackHigh == 0) findBounds(thread);
    unwind::UnwindResult result = unwinder.unwind(addresses, capacity, {thread.stackLow, thread.stackHigh});
    if (result.end == unwind::UnwindEnd::OutsideStack) {
        findBounds(thread);
        result = unwinder.unwind(addresses, capacity, {thread.stackLow, thread.stackHigh});
    }
    return result.count;
}

}  // namespace

bool prepareCallStacks() {
    g_moduleCount.store(0, std::memory_order_relaxed);
    return unwind::findModule(reinterpret_cast<std::uint64_t>(&prepareCallStacks), &g_ownModule);
}

std::uint32_t captureStack(ThreadState& thread) {
    std::uint64_t addresses[kMaxFrames];
    const std::size_t wanted = g_collector.config.stackDepth + 8;
    std::size_t count = unwindHere(thread, addresses, wanted < kMaxFrames ? wanted : kMaxFrames);
    // Ours are the innermost, and one more where a hook of ours stands before the driver (launch_hooks.h).
    count = static_cast<std::size_t>(std::remove_if(addresses, addresses + count, isOurs) - addresses);
    if (count == 0) return 0;
    const std::uint64_t hash = hashOf(addresses, count);
    StackCacheEntry& entry = thread.privateLane->stacks[hash % kStackCacheEntries];
    if (entry.hash == hash) return entry.stackId;
    const std::uint32_t id = internStack(thread, addresses, count);
    if (id != 0) entry = {hash, id, 0};
    return id;
}

}  // namespace vramscope::collector
