// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/process_recorder.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <queue>
#include <string>
#include <unistd.h>
#include <utility>

#include "collector/recorder/digest_changes.h"
#include "collector/recorder/or_null.h"
#include "collector/recorder/record_order.h"
#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

namespace {

constexpr std::uint64_t kEverything = ~0ull;
// The parent of a process that ended waits for it at once or, if it never does, lets the process table say.
constexpr std::uint64_t kEndPatienceNs = 200'000'000;

std::string_view boundedText(const char* text, std::size_t capacity) {
    return {text, ::strnlen(text, capacity)};
}

std::optional<std::int64_t> rankOrNull(std::int32_t rank) {
    return rank >= 0 ? std::optional<std::int64_t>(rank) : std::nullopt;
}

const char* dropReasonName(formats::DropReason reason) {
    constexpr const char* kNames[] = {"ring-full",     "too-many-threads", "stack-table-full",
                                      "text-too-long", "recorder-died",    "launch-unseen"};
    static_assert(sizeof(kNames) / sizeof(kNames[0]) == formats::kDropReasonCount);
    return kNames[static_cast<std::size_t>(reason)];
}

std::string_view programName(std::string_view executable) {
    const std::size_t slash = executable.rfind('/');
    return slash == std::string_view::npos ? executable : executable.substr(slash + 1);
}

}  // namespace

ProcessRecorder::ProcessRecorder(CaptureSink& sink, DeviceTable& devices, ArenaView arena,
                                 std::int64_t processId, std::int64_t taskId)
    : m_sink(sink),
      m_arena(std::move(arena)),
      m_watch(m_arena.header().pid, m_arena.header().startTicks),
      m_processId(processId),
      m_taskId(taskId),
      m_resolver(sink, devices, m_arena, m_processId, m_taskId) {
    for (std::uint32_t lane = 0; lane < m_arena.laneCount(); ++lane)
        m_lanes.push_back({LaneReader(m_arena, lane), {}, 0, 0, 0, 0});
    m_arena.header().recorderPid.store(static_cast<std::uint32_t>(::getpid()), std::memory_order_relaxed);
}

void ProcessRecorder::start() {
    writeProcessRow();
}

Status ProcessRecorder::resume(formats::Connection& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(m_resolver.restore(capture));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement positions,
        capture.prepare(
            "SELECT lane, lane_generation, consumed_slots FROM ring_positions WHERE process_id=?"));
    return forEachRow(positions, m_processId, [this](const formats::Statement& row) {
        const auto lane = static_cast<std::size_t>(row.columnInt(0));
        if (lane >= m_lanes.size()) return;
        LaneState& state = m_lanes[lane];
        const LanePosition position{static_cast<std::uint32_t>(row.columnInt(1)),
                                    static_cast<std::uint64_t>(row.columnInt(2))};
        state.reader.resumeAt(position);
        if (m_arena.lane(static_cast<std::uint32_t>(lane)).generation.load(std::memory_order_relaxed) !=
            position.generation) {
            return;  // another thread has rented the lane since; nothing of it was committed
        }
        state.generation = position.generation;
        state.threadId = m_resolver.threadOf(m_arena.lane(static_cast<std::uint32_t>(lane)).tid);
        state.resolvedPosition = state.committedPosition = position.consumedSlots;
    });
}

void ProcessRecorder::writeProcessRow() {
    const formats::ArenaHeader& header = m_arena.header();
    const std::string_view executable = boundedText(header.executable, sizeof(header.executable));
    m_sink.run(
        "INSERT INTO processes(process_id, pid, parent_pid, start_ns, executable, command, rank, local_rank, "
        "world_size) "
        "VALUES(?,?,?,?,?,?,?,?,?)",
        m_processId, header.pid, header.parentPid, m_sink.sessionTime(header.attachTicks), orNull(executable),
        orNull(boundedText(header.command, sizeof(header.command))), rankOrNull(header.rank),
        rankOrNull(header.localRank), rankOrNull(header.worldSize));
    if (header.job[0] == '\0') {
        m_sink.run("INSERT INTO tasks(task_id, name, origin, process_id) VALUES(?,?,'process',?)", m_taskId,
                   programName(executable), m_processId);
    } else {
        m_sink.run(
            "INSERT INTO task_spans(task_span_id, process_id, task_id, basis, precedence, level, start_ns) "
            "VALUES(?,?,?,'job',2000,0,?)",
            m_sink.nextId("task_spans"), m_processId, m_taskId, m_sink.sessionTime(header.attachTicks));
    }
}

void ProcessRecorder::writeEngine() {
    const formats::ArenaHeader& header = m_arena.header();
    const auto state = static_cast<formats::ArenaState>(header.state.load(std::memory_order_acquire));
    if (m_engineWritten || state == formats::ArenaState::Preparing) return;
    m_engineWritten = true;
    const bool isExact = header.engine == formats::ArenaEngine::Exact;
    if (header.cuptiVersion == 0 && (!isExact || state != formats::ArenaState::Recording)) return;
    m_sink.run(
        "UPDATE processes SET engine=?, engine_version=nullif(?, 0), engine_path=?, driver_version=? WHERE "
        "process_id=?",
        isExact ? "exact" : "cupti", header.cuptiVersion,
        orNull(boundedText(header.enginePath, sizeof(header.enginePath))), header.driverVersion, m_processId);
}

std::uint64_t ProcessRecorder::readFloor(std::uint64_t nowTicks) {
    std::uint64_t floor = nowTicks;
    for (std::uint32_t i = 0; i < m_arena.laneCount(); ++i) {
        const formats::Lane& lane = m_arena.lane(i);
        const auto state = static_cast<formats::LaneState>(lane.state.load(std::memory_order_acquire));
        if (state != formats::LaneState::Rented) continue;
        const std::uint64_t since = lane.sinceTicks.load(std::memory_order_seq_cst);
        if (since == formats::kSinceIdle) continue;
        // Between its announcement and the clock: nothing can be concluded until it has passed.
        if (since == formats::kSinceEntering) return m_lastFloor;
        floor = std::min(floor, since);
    }
    m_lastFloor = floor;
    return floor;
}

void ProcessRecorder::fetchAll() {
    for (LaneState& lane : m_lanes)
        lane.reader.fetch(lane.pending);
}

std::size_t ProcessRecorder::advance(std::uint64_t nowTicks) {
    m_arena.header().recorderSeenNs.store(formats::monotonicNs(), std::memory_order_relaxed);
    writeEngine();
    // In this order: what a thread publishes after its announcement was read is newer than the floor.
    const std::uint64_t floor = readFloor(nowTicks);
    fetchAll();
    std::size_t resolved = resolveBefore(floor);
    if (resolved == 0 && needsCommit()) {
        // A freeing call has been in the driver for so long that the ring would fill up behind it. What is
        // resolved now might meet the wrong generation of an address; a note says how much, so that nothing
        // proven rests on it.
        const std::size_t late = resolveBefore(kEverything);
        m_lateRecords += late;
        resolved += late;
    }
    forgetOldBuffers(floor);
    return resolved;
}

// A call that began before a free may be published after it: launches and copies sit in the driver for
// milliseconds when its queue is full. Two seconds of dead buffers cover that.
void ProcessRecorder::forgetOldBuffers(std::uint64_t floor) {
    constexpr std::uint64_t kKeepNs = 2'000'000'000;
    constexpr std::uint64_t kStepNs = 100'000'000;
    const std::uint64_t nowNs = formats::monotonicNs();
    if (!m_oldFloors.empty() && nowNs < m_oldFloors.back().first + kStepNs) return;
    m_oldFloors.emplace_back(nowNs, floor);
    while (nowNs > m_oldFloors.front().first + kKeepNs) {
        m_resolver.forgetBefore(m_oldFloors.front().second);
        m_oldFloors.pop_front();
    }
}

std::size_t ProcessRecorder::resolveBefore(std::uint64_t limitTicks) {
    using Head = std::pair<std::uint64_t, std::size_t>;  // effective time, lane
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    const auto headOf = [this](std::size_t lane) {
        const auto& pending = m_lanes[lane].pending;
        return Head{pending.empty() ? kEverything : effectiveTime(pending.front().record->header), lane};
    };
    for (std::size_t lane = 0; lane < m_lanes.size(); ++lane) {
        const Head head = headOf(lane);
        if (head.first < limitTicks) heads.push(head);
    }
    std::size_t resolved = 0;
    while (!heads.empty()) {
        Head head = heads.top();
        heads.pop();
        // Threads take turns of many calls, so a lane is followed for as long as it is the oldest.
        const Head next = heads.empty() ? Head{limitTicks, 0} : heads.top();
        do {
            resolveOne(m_lanes[head.second]);
            ++resolved;
            head = headOf(head.second);
        } while (head < next);
        if (head.first < limitTicks) heads.push(head);
    }
    return resolved;
}

void ProcessRecorder::resolveOne(LaneState& lane) {
    const PendingRecord pending = lane.pending.front();
    lane.pending.pop_front();
    if (static_cast<formats::RecordType>(pending.record->header.type) == formats::RecordType::ThreadStart) {
        lane.threadId = m_resolver.threadStarted(*pending.record);
        lane.generation = lane.reader.generation();
    } else {
        m_resolver.resolve(*pending.record, pending.slotCount, lane.threadId);
    }
    lane.resolvedPosition = pending.endPosition;
}

bool ProcessRecorder::needsCommit() const {
    std::size_t held = 0;
    for (const LaneState& lane : m_lanes)
        held += lane.reader.fullSegments();
    return held > m_arena.segmentCount() / 4;
}

void ProcessRecorder::writePositions() {
    m_resolver.writeCounts();
    for (std::uint32_t i = 0; i < m_lanes.size(); ++i) {
        LaneState& lane = m_lanes[i];
        if (lane.resolvedPosition == lane.committedPosition) continue;
        m_sink.run(
            "INSERT INTO ring_positions(process_id, lane, lane_generation, consumed_slots) VALUES(?,?,?,?) "
            "ON CONFLICT DO UPDATE "
            "SET lane_generation=excluded.lane_generation, consumed_slots=excluded.consumed_slots",
            m_processId, i, lane.generation, lane.resolvedPosition);
        lane.committedPosition = lane.resolvedPosition;
    }
}

void ProcessRecorder::releaseCommitted() {
    for (LaneState& lane : m_lanes) {
        if (!lane.reader.isOpen()) continue;
        lane.reader.release(lane.committedPosition);
        if (lane.reader.isOpen()) continue;
        // Its thread has ended and the lane is free for another.
        m_resolver.threadEnded(lane.threadId, m_lastFloor);
        lane.resolvedPosition = lane.committedPosition = 0;
    }
}

std::uint64_t ProcessRecorder::lostEvents() const {
    std::uint64_t lost = 0;
    for (const formats::DropCounter& drop : m_arena.header().drops)
        lost += drop.count.load(std::memory_order_acquire);
    return lost;
}

std::string_view ProcessRecorder::offReason() const {
    const formats::ArenaHeader& header = m_arena.header();
    const auto state = static_cast<formats::ArenaState>(header.state.load(std::memory_order_acquire));
    if (state != formats::ArenaState::Off) return {};
    return boundedText(header.offReason, sizeof(header.offReason));
}

void ProcessRecorder::writeDrops() {
    const formats::ArenaHeader& header = m_arena.header();
    for (std::size_t i = 0; i < formats::kDropReasonCount; ++i) {
        const std::uint64_t count = header.drops[i].count.load(std::memory_order_acquire);
        const auto reason = static_cast<formats::DropReason>(i);
        if (count == 0) continue;
        m_sink.run(
            "INSERT INTO drops(process_id, reason, lost_count, first_ns, last_ns) VALUES(?,?,?,?,?) ON "
            "CONFLICT DO UPDATE SET "
            "lost_count=excluded.lost_count, last_ns=excluded.last_ns",
            m_processId, dropReasonName(reason), count,
            m_sink.sessionTime(header.drops[i].firstTicks.load(std::memory_order_relaxed)),
            m_sink.sessionTime(header.drops[i].lastTicks.load(std::memory_order_relaxed)));
    }
}

std::size_t ProcessRecorder::finish(std::uint64_t nowTicks, const ProcessEnd& known, Closing closing) {
    if (m_isFinished) return 0;
    m_isFinished = true;
    m_engineWritten = false;  // the driver's version came with the first context
    writeEngine();
    fetchAll();
    const std::size_t resolved =
        resolveBefore(closing == Closing::StillRunning ? readFloor(nowTicks) : kEverything);
    m_resolver.writeCounts();
    writeDrops();
    if (m_lateRecords > 0) {
        m_sink.addNote(nowTicks, m_processId, "warning", "resolved-late",
                       fmt::format("{} events were put in order while an earlier call that frees memory was "
                                   "still in the driver; "
                                   "which buffer they used is not certain.",
                                   m_lateRecords));
    }
    if (const std::uint64_t count = m_resolver.forgottenEarly(); count > 0) {
        m_sink.addNote(
            nowTicks, m_processId, "info", "dead-buffers-forgotten",
            fmt::format(
                "{} freed buffers were forgotten within two seconds, because more were freed than are "
                "remembered; a call that began before such a free and was recorded after that names no "
                "buffer.",
                count));
    }
    writeGuardNote(nowTicks);
    writeExactNote(nowTicks);
    noteWatching(m_sink, m_arena.header(), m_processId, nowTicks);
    if (!offReason().empty()) {
        m_sink.run("UPDATE processes SET off_reason=? WHERE process_id=?", offReason(), m_processId);
    }
    writeEnd(nowTicks, known, closing);
    return resolved;
}

void ProcessRecorder::writeGuardNote(std::uint64_t nowTicks) {
    const formats::ArenaHeader& header = m_arena.header();
    const std::uint64_t guarded = header.guardedBuffers.load(std::memory_order_relaxed);
    const std::uint64_t unguarded = header.unguardedBuffers.load(std::memory_order_relaxed);
    if (guarded + unguarded == 0) return;
    m_sink.addNote(
        nowTicks, m_processId, "info", "guards",
        fmt::format("{} allocations had guard bytes behind them, {} bytes in all, which the driver rounds up "
                    "with the rest; {} had none.",
                    guarded, header.guardBytes.load(std::memory_order_relaxed), unguarded));
}

void ProcessRecorder::writeExactNote(std::uint64_t nowTicks) {
    const formats::ArenaHeader& header = m_arena.header();
    const std::uint64_t marked = header.markedLaunches.load(std::memory_order_relaxed);
    const std::uint64_t unmarked = header.unmarkedLaunches.load(std::memory_order_relaxed);
    if (marked + unmarked == 0) return;
    m_sink.addNote(
        nowTicks, m_processId, unmarked == 0 ? "info" : "warning", "exact-accesses",
        fmt::format("What {} kernels read and wrote was seen; of {} it was not.", marked, unmarked));
}

bool ProcessRecorder::hasEnded() {
    bool hasEnded = m_watch.hasEnded();
    const std::uint64_t exitTicks = m_arena.header().exitTicks.load(std::memory_order_acquire);
    if (m_watch.isBlind() && exitTicks != 0) {
        // Destructors still run after its exit handler, and what they free counts.
        if (m_endSeenNs == 0) m_endSeenNs = formats::monotonicNs();
        hasEnded = formats::monotonicNs() >= m_endSeenNs + kEndPatienceNs;
    } else if (hasEnded && m_endSeenNs == 0) {
        m_endSeenNs = formats::monotonicNs();
    }
    return hasEnded;
}

std::optional<ProcessEnd> ProcessRecorder::howItEnded() {
    if (m_watch.isBlind()) return ProcessEnd{};
    if (std::optional<ProcessEnd> end = m_watch.end()) return end;
    if (formats::monotonicNs() < m_endSeenNs + kEndPatienceNs) return std::nullopt;
    return ProcessEnd{};
}

void ProcessRecorder::writeEnd(std::uint64_t nowTicks, ProcessEnd end, Closing closing) {
    if (closing == Closing::StillRunning) {
        m_sink.run("UPDATE processes SET end_kind='running' WHERE process_id=?", m_processId);
        return;
    }
    const std::uint64_t exitTicks = m_arena.header().exitTicks.load(std::memory_order_acquire);
    if (!end.isKnown() && exitTicks != 0 && closing == Closing::Ended)
        end.exitCode = m_arena.header().exitCode.load(std::memory_order_relaxed) & 255;
    m_resolver.processEnded(nowTicks);
    const char* kind = end.signal                   ? "killed"
                       : end.exitCode               ? "exited"
                       : closing == Closing::Execed ? "execed"
                                                    : "vanished";
    m_sink.run("UPDATE processes SET end_ns=?, end_kind=?, exit_code=?, exit_signal=? WHERE process_id=?",
               m_sink.sessionTime(nowTicks), kind, end.exitCode, end.signal, m_processId);
}

}  // namespace vramscope::collector
