// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/watch.h"

#include "collector/inject/act_scope.h"
#include "collector/inject/clock.h"
#include "collector/inject/collector.h"
#include "collector/inject/digest_ring.h"
#include "collector/inject/inside_scope.h"
#include "collector/inject/nvtx_names.h"
#include "collector/inject/watch_rule.h"

namespace vramscope::collector {

namespace {

/// Watched buffers around one launch; more of them go without.
constexpr std::uint32_t kMostPerLaunch = 256;
/// Changes of one buffer that are recorded; the rest is counted.
constexpr std::uint32_t kMostTold = 256;

struct Watch {
    WatchRule rule;
    WatchTable table;
    DigestRing ring;
    /// Calls that started, ordered or ended work.
    std::atomic<std::uint64_t> work{0};
    /// Threads that look at the table in order to launch a digest.
    std::atomic<int> issuing{0};
};

constinit Watch g_watch;

bool start() {
    return g_watch.table.start() && g_watch.ring.start();
}

constinit OwnKernels g_own(Act::Watch, "digests", start);

/// Digests that a thread took last: those before a launch, then those after it.
struct Taken {
    std::uint32_t first;
    std::uint32_t count;
    std::uint64_t work;       ///< Watch::work when they were taken
    std::uint64_t fromTicks;  ///< they were put on the stream from here on
    std::uint64_t task;
    CUstream stream;
    std::uint32_t contextUid;
    bool isOpen;  ///< taken before a launch that is being made
};
constinit thread_local Taken t_taken{};

/// No buffer that the table shows meanwhile goes away: unwatchFreed() waits for the end.
class IssueScope {
public:
    IssueScope() { g_watch.issuing.fetch_add(1, std::memory_order_seq_cst); }
    ~IssueScope() { g_watch.issuing.fetch_sub(1, std::memory_order_seq_cst); }
    IssueScope(const IssueScope&) = delete;
    IssueScope& operator=(const IssueScope&) = delete;
};

formats::ArenaHeader& arena() {
    return *g_collector.arena;
}

void count(std::atomic<std::uint64_t>& counter) {
    counter.fetch_add(1, std::memory_order_relaxed);
}

bool isForeign(const KnownBuffer& buffer, tasks::Key task, CUstream stream) {
    const std::uint64_t address = buffer.address.load(std::memory_order_seq_cst);
    if (address <= WatchTable::kTaken) return false;
    // Only in its own stream's order is it sure that the memory is there.
    if (buffer.isOrdered && buffer.stream != stream) return false;
    if (buffer.isForAll) return true;
    const tasks::Key owner = buffer.owner.load(std::memory_order_relaxed);
    // What a process has before it begins with tasks is there for all of them.
    if (owner == tasks::kProcess) return false;
    if (owner == task && task != tasks::kUnknown) return false;
    const tasks::Key lent = buffer.lentTo.load(std::memory_order_relaxed);
    return lent == tasks::kProcess || (lent != tasks::kUnknown && lent != task);
}

/// Small ones first: they share a launch.
std::uint32_t collect(tasks::Key task, CUstream stream, KnownBuffer** chosen) {
    constexpr std::uint64_t kSmallBytes = std::uint64_t{256} << 10;
    std::uint32_t small = 0;
    std::uint32_t large = kMostPerLaunch;
    g_watch.table.forEachWatched([&](KnownBuffer& buffer) {
        if (small == large || !isForeign(buffer, task, stream)) return;
        chosen[buffer.sizeBytes <= kSmallBytes ? small++ : --large] = &buffer;
    });
    while (large < kMostPerLaunch)
        chosen[small++] = chosen[large++];
    return small;
}

DigestNote noteOf(ThreadState& thread, KnownBuffer& buffer, const Taken& taken) {
    DigestNote note{};
    note.buffer = &buffer;
    note.address = buffer.address.load(std::memory_order_seq_cst);
    note.allocTicks = buffer.allocTicks;
    note.stream = reinterpret_cast<std::uint64_t>(taken.stream);
    note.tid = thread.lane->tid;
    note.contextUid = taken.contextUid;
    return note;
}

void takeBefore(ThreadState& thread, Taken& taken) {
    const IssueScope issue;
    KnownBuffer* chosen[kMostPerLaunch] = {};
    taken.count = collect(taken.task, taken.stream, chosen);
    if (taken.count == 0) return;
    if (!g_watch.ring.reserve(taken.count, taken.first)) {
        taken.count = 0;
        count(arena().unwatchedCalls);
        return;
    }
    taken.fromTicks = nowTicks();
    for (std::uint32_t i = 0; i < taken.count; ++i) {
        // collect() filled as many as it told; the analyzer does not follow it into the table.
        // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
        const DigestNote note = noteOf(thread, *chosen[i], taken);
        const bool isThere = note.address > WatchTable::kTaken;
        g_watch.ring.put(taken.first + i, note, isThere ? chosen[i] : nullptr, device::kNoDigest);
    }
    g_watch.ring.launch(taken.first, taken.count, taken.stream);
}

void takeAfter(ThreadState& thread, Taken& taken, std::uint16_t api, std::uint64_t enterTicks) {
    const IssueScope issue;
    std::uint32_t first = 0;
    if (!g_watch.ring.reserve(taken.count, first)) {
        taken.count = 0;
        return count(arena().unwatchedCalls);
    }
    const std::uint64_t startTicks = nowTicks();
    for (std::uint32_t i = 0; i < taken.count; ++i) {
        KnownBuffer& buffer = *g_watch.ring.note(taken.first + i).buffer;
        DigestNote note = noteOf(thread, buffer, taken);
        const DigestNote& before = g_watch.ring.note(taken.first + i);
        const bool isSame = note.address > WatchTable::kTaken && note.address == before.address &&
                            note.allocTicks == before.allocTicks;
        note.api = api;
        note.enterTicks = enterTicks;
        note.fromTicks = taken.fromTicks;
        note.toTicks = startTicks;
        g_watch.ring.put(first + i, note, isSame ? &buffer : nullptr, taken.first + i);
    }
    g_watch.ring.launch(first, taken.count, taken.stream);
    const std::uint64_t toTicks = nowTicks();
    for (std::uint32_t i = 0; i < taken.count; ++i)
        g_watch.ring.note(first + i).toTicks = toTicks;
    taken.first = first;
    taken.fromTicks = startTicks;
    count(arena().watchedCalls);
}

void tell(ThreadState& thread, const DigestNote& note) {
    if (note.buffer->told.fetch_add(1, std::memory_order_relaxed) >= kMostTold)
        return count(arena().untoldChanges);
    formats::Record* record = reserve(thread, 2);
    if (record == nullptr) return;
    record->header.type = static_cast<std::uint16_t>(formats::RecordType::DigestChange);
    record->header.slotCount = 2;
    record->header.api = note.api;
    record->header.contextUid = note.contextUid;
    record->header.enterTicks = record->header.exitTicks = nowTicks();
    record->digestChange = {note.address, note.allocTicks, {}};
    *reinterpret_cast<formats::WorkCall*>(record + 1) = {note.enterTicks, note.fromTicks, note.toTicks,
                                                         note.stream,     note.tid,       {}};
    publish(thread, 2);
}

void harvest(ThreadState& thread) {
    g_watch.ring.takeChanges([&](const DigestNote& note) { tell(thread, note); });
}

void startWatching(KnownBuffer& buffer) {
    if (buffer.isWatched.load(std::memory_order_relaxed)) return;
    count(g_watch.table.watch(buffer) ? arena().watchedBuffers : arena().unwatchedBuffers);
}

/// The name of the innermost task, where the program names one.
const char* nameOf(tasks::Key key) {
    const bool isName = key != tasks::kProcess && key != tasks::kUnknown && (key & 1) == 0;
    return isName ? reinterpret_cast<const nvtx::Name*>(key)->text() : nullptr;
}

}  // namespace

void prepareWatch() {
    g_watch.rule = WatchRule(g_collector.config.watch);
    g_own.prepare(!g_watch.rule.isEmpty());
}

void watchNew(Call& call, CUdeviceptr address, std::uint64_t sizeBytes, bool isOrdered, CUstream stream) {
    if (address == 0 || sizeBytes == 0) return;
    noteOtherWork();
    {
        const ActScope act;
        if (!act.mayAct() || !g_own.isReadyFor(call.data.contextUid)) return;
    }
    KnownBuffer* buffer = g_watch.table.claim();
    if (buffer == nullptr) return count(arena().unwatchedBuffers);
    const tasks::Key task = tasks::current(call.thread);
    buffer->sizeBytes = sizeBytes;
    buffer->allocTicks = call.exitTicks;
    buffer->stream = stream;
    buffer->isOrdered = isOrdered;
    buffer->isForAll = g_watch.rule.fitsAddress(address);
    buffer->owner.store(task, std::memory_order_relaxed);
    buffer->lentTo.store(tasks::kProcess, std::memory_order_relaxed);
    buffer->told.store(0, std::memory_order_relaxed);
    buffer->address.store(address, std::memory_order_seq_cst);
    if (g_watch.rule.fitsNew(address, sizeBytes, nameOf(task))) startWatching(*buffer);
}

void unwatchFreed(ThreadState& thread, CUdeviceptr address, bool isOrdered, CUstream stream) {
    if (!g_own.isOn()) return;
    noteOtherWork();
    KnownBuffer* buffer = g_watch.table.find(address);
    if (buffer == nullptr) return;
    const bool endsInItsOrder = buffer->isOrdered ? isOrdered && buffer->stream == stream : !isOrdered;
    const bool isOddFree = buffer->isOrdered != isOrdered;
    g_watch.table.release(*buffer);
    // What a thread is about to launch still reads it. That is a matter of microseconds.
    constexpr timespec kPause{0, 10'000};
    while (g_watch.issuing.load(std::memory_order_seq_cst) > 0)
        ::nanosleep(&kPause, nullptr);
    const InsideScope inside(thread);
    if (!endsInItsOrder) {
        g_watch.ring.leaveOut(address);
        // Memory may go at once in a free that is not of its kind, while a digest around another's launch is
        // reading it. A free in another stream's order leaves it with its pool, and a wait there might
        // wait for a kernel that waits for the job.
        const ActScope act;
        if (isOddFree && act.mayAct()) g_driverActions.contextSynchronize();
    }
    harvest(thread);
}

void watchMarked(ThreadState& thread, formats::OwnershipEvent event, std::uint64_t address,
                 const char* text) {
    if (!g_own.isOn()) return;
    noteOtherWork();
    KnownBuffer* buffer = g_watch.table.holding(address);
    if (buffer == nullptr) return;
    switch (event) {
        case formats::OwnershipEvent::Give:
            buffer->owner.store(text != nullptr ? tasks::keyOf(text) : tasks::current(thread));
            break;
        case formats::OwnershipEvent::LendWrite: {
            const tasks::Key lent = buffer->lentTo.load();
            const tasks::Key to = tasks::keyOf(text);
            buffer->lentTo.store(lent == tasks::kProcess || lent == to ? to : tasks::kUnknown);
            break;
        }
        case formats::OwnershipEvent::LendEnd:
            buffer->lentTo.store(tasks::kProcess);
            break;
        case formats::OwnershipEvent::Name:
            if (g_watch.rule.fitsName(text)) startWatching(*buffer);
            break;
        default:
            break;
    }
}

void digestBefore(ThreadState& thread, CUstream stream, std::uint32_t contextUid) {
    Taken& taken = t_taken;
    taken.isOpen = false;
    if (!g_own.isOnIn(contextUid) || !g_watch.table.hasWatched()) return;
    if (g_watch.ring.isFilling()) harvest(thread);
    const tasks::Key task = tasks::current(thread);
    const std::uint64_t work = g_watch.work.load(std::memory_order_acquire);
    const bool isStillTrue = taken.count != 0 && taken.work == work && taken.stream == stream &&
                             taken.task == task && taken.contextUid == contextUid &&
                             g_watch.ring.isKept(taken.first);
    if (!isStillTrue) {
        taken = {0, 0, work, 0, task, stream, contextUid, false};
        takeBefore(thread, taken);
    }
    taken.isOpen = taken.count != 0;
}

void digestAfter(ThreadState& thread, std::uint16_t api, std::uint64_t enterTicks) {
    Taken& taken = t_taken;
    const std::uint64_t work = g_watch.work.fetch_add(1, std::memory_order_acq_rel);
    if (!taken.isOpen) return;
    taken.isOpen = false;
    takeAfter(thread, taken, api, enterTicks);
    // Other work since they were taken: the next launch needs new ones before it.
    if (work != taken.work) taken.count = 0;
    taken.work = work + 1;
}

void dropDigestsBefore() {
    t_taken.isOpen = false;
    t_taken.count = 0;
    noteOtherWork();
}

void noteOtherWork() {
    g_watch.work.fetch_add(1, std::memory_order_acq_rel);
}

void watchAfterSync(Call& call) {
    noteOtherWork();
    if (g_own.isOn() && call.succeeded()) harvest(call.thread);
}

void endWatch(std::uint32_t contextUid) {
    g_own.end(contextUid);
}

}  // namespace vramscope::collector
