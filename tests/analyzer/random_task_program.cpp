// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/random_task_program.h"

#include <algorithm>
#include <string>

namespace vramscope::tests {
namespace {

using model::HandOver;
using model::PieceKind;

constexpr model::ProcessId kTheProcess{1};
constexpr std::int64_t kOwnTask = 1;
constexpr std::int64_t kTasks = 3;  // named ones, 2 to 4
constexpr std::array<const char*, 5> kTaskNames{"", "process", "red", "green", "blue"};
const std::vector<std::string> kCallNames{"", "cuMemcpyDtoDAsync_v2", "cuMemsetD8Async"};

constexpr std::int64_t cellOffset(std::size_t cell) {
    return static_cast<std::int64_t>(cell) * RandomTaskProgram::kCellBytes;
}

}  // namespace

RandomTaskProgram::RandomTaskProgram(std::uint64_t seed, TaskProgramKind kind)
    : m_random(seed), m_kind(kind), m_isQuiet(seed % 4 != 0) {
    m_threads.resize(2 + pick(2));
    m_last.resize(kind.isSerialised ? 1 : 2 + pick(2));
    m_events.resize(2);
    std::vector<model::Task> tasks{{model::TaskId{kOwnTask}, kTaskNames[1], "process", kTheProcess}};
    for (std::int64_t task = 2; task < 2 + kTasks; ++task)
        tasks.push_back({model::TaskId{task}, kTaskNames[static_cast<std::size_t>(task)], "annotation", {}});
    m_capture.tasks = model::Table<model::Task, model::TaskId>(std::move(tasks));
    // Where the user guesses, each thread is a task from the first moment on.
    for (std::size_t thread = 0; thread < m_threads.size() && kind.isGuessed; ++thread) {
        m_threads[thread].open.push_back(2 + static_cast<Task>(thread));
        m_capture.taskSpans.push_back({kTheProcess,
                                       model::ThreadId{static_cast<std::int64_t>(thread) + 1},
                                       {},
                                       {},
                                       model::TaskId{2 + static_cast<std::int64_t>(thread)},
                                       model::TaskBasis::Thread,
                                       0,
                                       0,
                                       0});
    }
    for (int i = 0; i < kind.calls; ++i)
        step();
}

void RandomTaskProgram::step() {
    m_nowNs += m_kind.isSerialised ? 1'000'000 : 100;
    const std::size_t what = pick(30);
    if (what < 3) return changeTask();
    if (what < 6) return allocate();
    if (what < 12) return set();
    if (what < 17) return copy();
    if (what < 19) return launch();
    // Kernels that nothing but a digest shows, in memory of which nothing was said.
    if (m_kind.isWatched && m_isQuiet && what < 24) return launch();
    if (what < 22) return giveOrLend();
    if (what < 24) return heapOrBlock();
    if (what < 26) return record();
    if (what < 28) return wait();
    sync();
}

RandomTaskProgram::Task RandomTaskProgram::taskOf(std::size_t thread) const {
    return m_threads[thread].open.empty() ? kOwnTask : m_threads[thread].open.back();
}

/// A call whose effect is now.
RandomTaskProgram::Call RandomTaskProgram::begin() {
    Call call;
    call.thread = pick(m_threads.size());
    Thread& thread = m_threads[call.thread];
    const std::size_t reach = m_kind.overlaps ? 260 : 40;
    const std::int64_t enterNs =
        std::max(m_nowNs - 1 - static_cast<std::int64_t>(pick(reach)), thread.lastExitNs + 1);
    call.call = {kTheProcess, model::ThreadId{static_cast<std::int64_t>(call.thread) + 1},
                 std::min(enterNs, m_nowNs), m_nowNs + 1 + static_cast<std::int64_t>(pick(reach))};
    // A thread whose last call has not returned cannot make another; then it returned just now.
    if (thread.lastExitNs >= m_nowNs) {
        call.call.enterNs = thread.lastExitNs + 1;
        call.call.exitNs = call.call.enterNs + 30;
        m_nowNs = call.call.enterNs;
    }
    // Beginnings tell calls apart.
    while (!m_begun.insert(call.call.enterNs).second)
        ++call.call.enterNs;
    m_nowNs = std::max(m_nowNs, call.call.enterNs);
    call.call.exitNs = std::max(call.call.exitNs, m_nowNs + 1);
    thread.lastExitNs = call.call.exitNs;
    call.task = taskOf(call.thread);
    return call;
}

/// Calls that had returned when this one began.
std::vector<std::size_t> RandomTaskProgram::before(const Call& call) const {
    std::vector<std::size_t> nodes;
    for (const auto& [exitNs, node] : m_returns) {
        if (exitNs <= call.call.enterNs) nodes.push_back(node);
    }
    return nodes;
}

void RandomTaskProgram::end(const Call& call, const std::vector<std::size_t>& waitedFor) {
    std::vector<std::size_t> nodes = before(call);
    nodes.insert(nodes.end(), waitedFor.begin(), waitedFor.end());
    m_returns.emplace_back(call.call.exitNs, m_graph.add(nodes));
}

std::size_t RandomTaskProgram::work(std::size_t stream, const Call& call,
                                    const std::vector<std::size_t>& waitedFor) {
    std::vector<std::size_t> nodes = before(call);
    nodes.insert(nodes.end(), waitedFor.begin(), waitedFor.end());
    if (m_last[stream]) nodes.push_back(*m_last[stream]);
    m_last[stream] = m_graph.add(nodes);
    return *m_last[stream];
}

template <typename Event>
Event RandomTaskProgram::eventOf(const Call& call, std::size_t stream) const {
    Event event;
    event.enterNs = call.call.enterNs;
    event.exitNs = call.call.exitNs;
    event.processId = kTheProcess.value;
    event.threadId = call.call.threadId.value;
    event.streamId = static_cast<std::int64_t>(stream) + 1;
    return event;
}

std::pair<std::size_t, std::size_t> RandomTaskProgram::someCells(std::size_t most) {
    const std::size_t count = 1 + pick(most);
    const std::size_t first = pick(kCells - count + 1);
    return {first, first + count};
}

/// One whose allocation had returned: before, nobody knows its address.
std::optional<std::size_t> RandomTaskProgram::pickBuffer(const Call& call) {
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        if (m_buffers[i].allocExitNs <= call.call.enterNs) known.push_back(i);
    }
    if (known.empty()) return std::nullopt;
    return known[pick(known.size())];
}

void RandomTaskProgram::changeTask() {
    if (m_kind.isGuessed) return;
    const std::size_t number = pick(m_threads.size());
    Thread& thread = m_threads[number];
    const std::int64_t timeNs = std::max(m_nowNs, thread.lastExitNs + 1);
    m_nowNs = timeNs;
    thread.lastExitNs = timeNs;
    if (thread.open.size() > 1 || (!thread.open.empty() && pick(2) == 0)) {
        m_capture.taskSpans[thread.spans.back().first].endNs = timeNs;
        thread.spans.pop_back();
        thread.open.pop_back();
        return;
    }
    const Task task = 2 + static_cast<Task>(pick(kTasks));
    thread.spans.emplace_back(m_capture.taskSpans.size(), timeNs);
    m_capture.taskSpans.push_back({kTheProcess,
                                   model::ThreadId{static_cast<std::int64_t>(number) + 1},
                                   {},
                                   {},
                                   model::TaskId{task},
                                   model::TaskBasis::Mark,
                                   0,
                                   static_cast<std::int64_t>(thread.open.size()),
                                   timeNs});
    thread.open.push_back(task);
}

void RandomTaskProgram::allocate() {
    if (m_buffers.size() >= 6) return;
    const Call call = begin();
    Buffer& buffer = m_buffers.emplace_back();
    for (Cell& cell : buffer.cells)
        cell.owner = call.task;
    buffer.allocExitNs = call.call.exitNs;
    model::Buffer row;
    row.id = model::BufferId{static_cast<std::int64_t>(m_buffers.size())};
    row.processId = kTheProcess;
    row.kind = model::BufferKind::Device;
    row.address = 0x7f0000000000 + static_cast<std::int64_t>(m_buffers.size()) * (1 << 21);
    row.sizeBytes = cellOffset(kCells);
    row.allocNs = call.call.exitNs;
    row.allocThreadId = call.call.threadId;
    row.taskId = model::TaskId{call.task};
    m_bufferRows.push_back(row);
    const model::OrderedBuffer place{row.id, kTheProcess, row.kind, static_cast<std::uint64_t>(row.address),
                                     static_cast<std::uint64_t>(row.sizeBytes)};
    m_feeds.emplace_back(model::CallOrder{call.call.exitNs, 2}, [place, call](model::OrderingModel& order) {
        order.alloc(place, {place.id, call.call, model::kNoStream, {}, "cuMemAlloc_v2"});
    });
    end(call);
}

void RandomTaskProgram::set() {
    const Call call = begin();
    const auto buffer = pickBuffer(call);
    if (!buffer) return end(call);
    const std::size_t stream = pick(m_last.size());
    const auto [first, last] = someCells();
    auto event = eventOf<formats::SetEvent>(call, stream);
    event.api = 2;
    event.isAsync = true;
    event.dstBufferId = static_cast<std::int64_t>(*buffer) + 1;
    event.dstOffset = static_cast<std::uint64_t>(cellOffset(first));
    event.dstAddress = static_cast<std::uint64_t>(m_bufferRows[*buffer].address) + event.dstOffset;
    event.bytes = static_cast<std::uint64_t>(cellOffset(last - first));
    m_feeds.emplace_back(model::orderOf(event),
                         [event](model::OrderingModel& order) { order.set(event, kCallNames); });
    touch(call, *buffer, first, last, stream, work(stream, call), true, false);
    end(call);
}

void RandomTaskProgram::copy() {
    const Call call = begin();
    const auto from = pickBuffer(call);
    const auto to = pickBuffer(call);
    if (!from || from == to) return end(call);
    const std::size_t stream = pick(m_last.size());
    const auto [first, last] = someCells();
    const std::size_t target = pick(kCells - (last - first) + 1);
    auto event = eventOf<formats::CopyEvent>(call, stream);
    event.api = 1;
    event.isAsync = true;
    event.direction = formats::CopyDirection::DeviceToDevice;
    event.srcBufferId = static_cast<std::int64_t>(*from) + 1;
    event.srcAddress = static_cast<std::uint64_t>(m_bufferRows[*from].address + cellOffset(first));
    event.dstBufferId = static_cast<std::int64_t>(*to) + 1;
    event.dstAddress = static_cast<std::uint64_t>(m_bufferRows[*to].address + cellOffset(target));
    event.bytes = static_cast<std::uint64_t>(cellOffset(last - first));
    m_feeds.emplace_back(model::orderOf(event),
                         [event](model::OrderingModel& order) { order.copy(event, kCallNames); });
    const std::size_t node = work(stream, call);
    touch(call, *from, first, last, stream, node, false, false);
    touch(call, *to, target, target + (last - first), stream, node, true, false);
    end(call);
}

/// A kernel that is given a pointer. What it does there nobody knows; here it reads the cell.
void RandomTaskProgram::launch() {
    const Call call = begin();
    const auto buffer = pickBuffer(call);
    if (!buffer) return end(call);
    const std::size_t stream = pick(m_last.size());
    const std::size_t cell = pick(kCells);
    auto event = eventOf<formats::LaunchEvent>(call, stream);
    event.kernelId = 1;
    event.argumentSetId = 1 + static_cast<std::int64_t>(*buffer * kCells + cell);
    m_feeds.emplace_back(model::orderOf(event),
                         [event](model::OrderingModel& order) { order.launch(event); });
    const std::size_t node = work(stream, call);
    touch(call, *buffer, cell, cell + 1, stream, node, false, true);
    if (m_kind.isWatched) writeUnseen(call, stream, node);
    end(call);
}

void RandomTaskProgram::said(std::int64_t timeNs, std::size_t buffer, std::size_t first, std::size_t end) {
    m_said.push_back({timeNs, static_cast<std::int64_t>(buffer) + 1, first, end});
}

void RandomTaskProgram::giveOrLend() {
    Call call = begin();
    call.call.exitNs = call.call.enterNs = m_nowNs;  // a mark is a moment
    const auto number = pickBuffer(call);
    if (!number) return;
    Buffer& buffer = m_buffers[*number];
    model::OwnershipChange change;
    change.processId = kTheProcess;
    change.bufferId = model::BufferId{static_cast<std::int64_t>(*number) + 1};
    change.byTaskId = model::TaskId{call.task};
    change.timeNs = m_nowNs;
    const Task task = 2 + static_cast<Task>(pick(kTasks));
    std::size_t first = 0;
    std::size_t last = 0;
    if (pick(3) == 0) {
        std::tie(first, last) = someCells();
        change.kind = HandOver::Give;
        change.toTaskId = model::TaskId{task};
        for (std::size_t cell = first; cell < last; ++cell)
            buffer.cells[cell].owner = task;
    } else {
        const std::size_t half = pick(2);
        first = half * kCells / 2;
        last = first + kCells / 2;
        const Task to = pick(3) == 0 ? 0 : task;
        change.toTaskId = to == 0 ? model::TaskId() : model::TaskId{to};
        const std::size_t what = pick(3);
        change.kind = what == 0 ? HandOver::LendRead : what == 1 ? HandOver::LendWrite : HandOver::LendEnd;
        buffer.loans[{to, half}] = what == 0 ? ForReading : what == 1 ? ForWriting : NoLoan;
    }
    change.offset = cellOffset(first);
    change.sizeBytes = cellOffset(last - first);
    m_capture.ownershipChanges.push_back(change);
    said(m_nowNs, *number, first, last);
}

void RandomTaskProgram::heapOrBlock() {
    Call call = begin();
    call.call.exitNs = call.call.enterNs = m_nowNs;
    const auto number = pickBuffer(call);
    if (!number) return;
    Buffer& buffer = m_buffers[*number];
    model::SubBuffer piece;
    piece.id = model::SubBufferId{static_cast<std::int64_t>(m_capture.subBuffers.size()) + 1};
    piece.processId = kTheProcess;
    piece.bufferId = model::BufferId{static_cast<std::int64_t>(*number) + 1};
    piece.startNs = m_nowNs;
    std::size_t first = 0;
    std::size_t last = kCells;
    if (!buffer.isHeap) {
        buffer.isHeap = true;
        piece.kind = PieceKind::Heap;
        for (Cell& cell : buffer.cells)
            cell.owner = 0;
    } else if (!buffer.blocks.empty() && pick(2) == 0) {
        const auto [row, cells] = *buffer.blocks.begin();
        buffer.blocks.erase(buffer.blocks.begin());
        m_capture.subBuffers[row].endNs = m_nowNs;
        for (std::size_t cell = cells.first; cell < cells.second; ++cell)
            buffer.cells[cell].owner = 0;
        return said(m_nowNs, *number, cells.first, cells.second);
    } else {
        std::tie(first, last) = someCells(3);
        for (const auto& [row, cells] : buffer.blocks) {
            if (cells.first < last && first < cells.second) return;
        }
        piece.kind = PieceKind::Block;
        piece.taskId = model::TaskId{call.task};
        buffer.blocks[m_capture.subBuffers.size()] = {first, last};
        for (std::size_t cell = first; cell < last; ++cell)
            buffer.cells[cell].owner = call.task;
    }
    piece.offset = cellOffset(first);
    piece.sizeBytes = cellOffset(last - first);
    m_capture.subBuffers.push_back(piece);
    said(m_nowNs, *number, first, last);
}

void RandomTaskProgram::record() {
    const Call call = begin();
    const std::size_t stream = pick(m_last.size());
    const std::size_t number = pick(m_events.size());
    auto event = eventOf<formats::SyncEvent>(call, stream);
    event.kind = formats::SyncKind::EventRecord;
    event.objectId = static_cast<std::int64_t>(number) + 1;
    m_feeds.emplace_back(model::orderOf(event), [event](model::OrderingModel& order) { order.sync(event); });
    m_events[number] = work(stream, call);
    end(call);
}

void RandomTaskProgram::wait() {
    const Call call = begin();
    const std::size_t stream = pick(m_last.size());
    const std::size_t number = pick(m_events.size());
    auto event = eventOf<formats::SyncEvent>(call, stream);
    event.kind = formats::SyncKind::StreamWait;
    event.objectId = static_cast<std::int64_t>(number) + 1;
    m_feeds.emplace_back(model::orderOf(event), [event](model::OrderingModel& order) { order.sync(event); });
    std::vector<std::size_t> waitedFor;
    if (m_events[number]) waitedFor.push_back(*m_events[number]);
    work(stream, call, waitedFor);
    end(call);
}

void RandomTaskProgram::sync() {
    const Call call = begin();
    const std::size_t stream = pick(m_last.size());
    auto event = eventOf<formats::SyncEvent>(call, stream);
    event.kind = formats::SyncKind::StreamSync;
    m_feeds.emplace_back(model::orderOf(event), [event](model::OrderingModel& order) { order.sync(event); });
    std::vector<std::size_t> waitedFor;
    if (m_last[stream]) waitedFor.push_back(*m_last[stream]);
    end(call, waitedFor);
}

RandomTaskProgram::Loan RandomTaskProgram::loanOf(const Buffer& buffer, std::size_t cell, Task task) const {
    const std::size_t half = cell / (kCells / 2);
    Loan loan = NoLoan;
    for (const Task to : {Task{0}, task}) {
        const auto found = buffer.loans.find({to, half});
        if (found != buffer.loans.end()) loan = std::max(loan, found->second);
    }
    return loan;
}

/// What the write does to others, by what is true when it takes effect.
void RandomTaskProgram::judge(const Call& call, std::size_t buffer, std::size_t first, std::size_t end) {
    Write write{call.call.enterNs, call.call.exitNs, static_cast<std::int64_t>(buffer) + 1, first, end, {}};
    for (std::size_t cell = first; cell < end; ++cell) {
        const Cell& at = m_buffers[buffer].cells[cell];
        const bool isForeign = at.owner > kOwnTask && at.owner != call.task &&
                               loanOf(m_buffers[buffer], cell, call.task) != ForWriting;
        if (!isForeign) continue;
        Foreign& foreign = write.foreign[at.owner];
        foreign.bytes += kCellBytes;
        const auto used = at.usedBy.find(at.owner);
        if (used != at.usedBy.end() && used->second < call.call.enterNs) foreign.wasUsedBefore = true;
    }
    m_writes.push_back(std::move(write));
}

void RandomTaskProgram::touch(const Call& call, std::size_t buffer, std::size_t first, std::size_t end,
                              std::size_t stream, std::size_t node, bool isWrite, bool isLaunch) {
    if (isWrite) judge(call, buffer, first, end);
    if (isWrite) m_works.push_back({call.call, stream, node, static_cast<std::int64_t>(buffer) + 1});
    // A launch is told to reach from its pointer to the end of the buffer.
    const std::size_t reach = isLaunch ? kCells : end;
    for (std::size_t cell = first; cell < reach; ++cell) {
        const auto [used, isNew] = m_buffers[buffer].cells[cell].usedBy.emplace(call.task, call.call.exitNs);
        if (!isNew) used->second = std::min(used->second, call.call.exitNs);
    }
    m_buffers[buffer].uses.push_back({node, call.call.enterNs, first, end, isWrite, isLaunch});
    model::Access access;
    access.enterNs = access.lastNs = call.call.enterNs;
    access.exitNs = call.call.exitNs;
    access.processId = kTheProcess;
    access.threadId = call.call.threadId;
    access.streamId = model::StreamId{static_cast<std::int64_t>(stream) + 1};
    access.taskId = model::TaskId{call.task};
    access.basis = call.task == kOwnTask ? model::TaskBasis::Process
                   : m_kind.isGuessed    ? model::TaskBasis::Thread
                                         : model::TaskBasis::Mark;
    access.bufferId = model::BufferId{static_cast<std::int64_t>(buffer) + 1};
    access.offset = cellOffset(first);
    access.sizeBytes = cellOffset(reach - first);
    access.isLaunch = isLaunch;
    access.mayRead = !isWrite;
    access.mayWrite = isWrite || isLaunch;
    access.what = isLaunch ? "kernel" : isWrite ? "cuMemsetD8Async" : "cuMemcpyDtoDAsync_v2";
    m_capture.sharedAccesses.accesses.push_back(access);
}

}  // namespace vramscope::tests
