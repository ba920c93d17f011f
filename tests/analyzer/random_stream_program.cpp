// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/random_stream_program.h"

#include <algorithm>
#include <string>

namespace vramscope::tests {
namespace {

using model::BufferKind;

constexpr std::uint64_t kCellBytes = 64;
constexpr std::uint64_t kCells = 8;
constexpr model::ProcessId kProcess{1};
constexpr model::ThreadId kThread{1};
const std::vector<std::string> kApis{"", "cuMemcpyDtoDAsync_v2"};

std::vector<model::StreamRow> rowsFor(std::uint64_t seed) {
    std::vector<model::StreamRow> rows;
    rows.push_back({model::StreamId{1}, kProcess, model::ContextId{1}, true, false});
    const std::uint64_t others = 2 + seed % 3;
    for (std::uint64_t i = 0; i < others; ++i) {
        rows.push_back({model::StreamId{static_cast<std::int64_t>(i) + 2}, kProcess, model::ContextId{1},
                        false, (seed >> i & 4) != 0});
    }
    return rows;
}

}  // namespace

RandomStreamProgram::RandomStreamProgram(std::uint64_t seed)
    : m_random(seed),
      m_model(rowsFor(seed), [](std::int64_t) { return std::span<const formats::LaunchArgument>(); }) {
    for (const model::StreamRow& row : rowsFor(seed))
        m_streams.push_back({row.isLegacy, row.isBlocking, std::nullopt});
    m_events.resize(3);
    m_enter = m_graph.add({});
}

void RandomStreamProgram::begin() {
    m_nowNs += 10;
}

void RandomStreamProgram::end(const std::vector<std::size_t>& waitedFor) {
    std::vector<std::size_t> before = waitedFor;
    before.push_back(m_enter);
    m_enter = m_graph.add(before);
}

std::vector<std::size_t> RandomStreamProgram::lastOf(std::size_t stream) const {
    std::vector<std::size_t> last;
    if (m_streams[stream].last) last.push_back(*m_streams[stream].last);
    if (!m_streams[stream].isLegacy) return last;
    for (const StreamState& other : m_streams) {
        if (other.isBlocking && other.last) last.push_back(*other.last);
    }
    return last;
}

std::size_t RandomStreamProgram::work(std::size_t stream, std::vector<std::size_t> before) {
    for (const std::size_t node : lastOf(stream))
        before.push_back(node);
    if (m_streams[stream].isBlocking && m_streams[0].last) before.push_back(*m_streams[0].last);
    before.push_back(m_enter);
    const std::size_t node = m_graph.add(before);
    m_streams[stream].last = node;
    return node;
}

template <typename Event>
void RandomStreamProgram::fill(Event& event, std::size_t stream) {
    event.enterNs = m_nowNs;
    event.exitNs = m_nowNs + 5;
    event.processId = kProcess.value;
    event.threadId = kThread.value;
    event.streamId = static_cast<std::int64_t>(stream) + 1;
}

RandomStreamProgram::Buffer* RandomStreamProgram::pickLive() {
    std::vector<Buffer*> live;
    for (Buffer& buffer : m_buffers) {
        if (buffer.isLive) live.push_back(&buffer);
    }
    return live.empty() ? nullptr : live[pick(live.size())];
}

void RandomStreamProgram::allocate() {
    const bool isOrdered = pick(3) != 0;
    Buffer& buffer = m_buffers.emplace_back();
    buffer.row = {model::BufferId{static_cast<std::int64_t>(m_buffers.size())}, kProcess,
                  isOrdered ? BufferKind::Async : BufferKind::Device, m_nextAddress, kCells * kCellBytes};
    m_nextAddress += kCells * kCellBytes;
    const model::OrderedCall call{kProcess, kThread, m_nowNs, m_nowNs + 5};
    const std::size_t stream = pick(m_streams.size());
    if (isOrdered) {
        buffer.uses.push_back({UseKind::Alloc, work(stream), m_nowNs, 0, kCells});
        m_model.alloc(buffer.row,
                      {buffer.row.id, call, static_cast<model::StreamIndex>(stream), {}, "alloc"});
    } else {
        m_model.alloc(buffer.row, {buffer.row.id, call, model::kNoStream, {}, "alloc"});
    }
    end();
}

void RandomStreamProgram::free() {
    Buffer* buffer = pickLive();
    if (buffer == nullptr) return;
    buffer->isLive = false;
    const model::OrderedCall call{kProcess, kThread, m_nowNs, m_nowNs + 5};
    const std::size_t stream = pick(m_streams.size());
    if (pick(3) != 0) {
        buffer->uses.push_back({UseKind::OrderedFree, work(stream), m_nowNs, 0, kCells});
        m_model.free(buffer->row,
                     {buffer->row.id, call, static_cast<model::StreamIndex>(stream), {}, "free"});
        return end();
    }
    m_model.free(buffer->row, {buffer->row.id, call, model::kNoStream, {}, "free"});
    if (buffer->row.kind == BufferKind::Async) {
        buffer->uses.push_back({UseKind::HostFree, m_enter, m_nowNs, 0, kCells});
        return end();
    }
    // A free of plain memory waits for everything.
    m_model.freeReturned(call);
    std::vector<std::size_t> all;
    for (const StreamState& state : m_streams) {
        if (state.last) all.push_back(*state.last);
    }
    end(all);
}

void RandomStreamProgram::set() {
    Buffer* buffer = pickLive();
    if (buffer == nullptr) return;
    const std::size_t stream = pick(m_streams.size());
    formats::SetEvent event;
    fill(event, stream);
    const std::uint64_t first = pick(kCells);
    const std::uint64_t count = 1 + pick(kCells - first);
    event.dstBufferId = buffer->row.id.value;
    event.dstOffset = first * kCellBytes;
    event.dstAddress = buffer->row.address + event.dstOffset;
    event.bytes = count * kCellBytes;
    event.isAsync = pick(2) != 0;
    m_model.set(event, kApis);
    buffer->uses.push_back({UseKind::Write, work(stream), m_nowNs, first, first + count});
    end();
}

void RandomStreamProgram::copy() {
    Buffer* from = pickLive();
    Buffer* to = pickLive();
    if (from == nullptr || from == to) return;
    const std::size_t stream = pick(m_streams.size());
    formats::CopyEvent event;
    fill(event, stream);
    const std::uint64_t first = pick(kCells);
    const std::uint64_t count = 1 + pick(kCells - first);
    const std::uint64_t target = pick(kCells - count + 1);
    event.api = 1;
    event.direction = formats::CopyDirection::DeviceToDevice;
    event.srcBufferId = from->row.id.value;
    event.srcAddress = from->row.address + first * kCellBytes;
    event.dstBufferId = to->row.id.value;
    event.dstAddress = to->row.address + target * kCellBytes;
    event.bytes = count * kCellBytes;
    event.isAsync = pick(2) != 0;
    m_model.copy(event, kApis);
    const std::size_t node = work(stream);
    from->uses.push_back({UseKind::Read, node, m_nowNs, first, first + count});
    to->uses.push_back({UseKind::Write, node, m_nowNs, target, target + count});
    end();
}

void RandomStreamProgram::blockingCopy() {
    Buffer* from = pickLive();
    if (from == nullptr) return;
    const std::size_t stream = pick(m_streams.size());
    formats::CopyEvent event;
    fill(event, stream);
    event.direction = formats::CopyDirection::DeviceToHost;
    event.srcBufferId = from->row.id.value;
    event.srcAddress = from->row.address;
    event.bytes = kCellBytes;
    m_model.copy(event, kApis);
    const std::size_t node = work(stream);
    from->uses.push_back({UseKind::Read, node, m_nowNs, 0, 1});
    end({node});
}

void RandomStreamProgram::record() {
    const std::size_t stream = pick(m_streams.size());
    const std::size_t number = pick(m_events.size());
    formats::SyncEvent event;
    fill(event, stream);
    event.kind = formats::SyncKind::EventRecord;
    event.objectId = static_cast<std::int64_t>(number) + 1;
    m_model.sync(event);
    m_events[number] = work(stream);
    end();
}

void RandomStreamProgram::wait() {
    const std::size_t stream = pick(m_streams.size());
    const std::size_t number = pick(m_events.size());
    formats::SyncEvent event;
    fill(event, stream);
    event.kind = formats::SyncKind::StreamWait;
    event.objectId = static_cast<std::int64_t>(number) + 1;
    m_model.sync(event);
    std::vector<std::size_t> before;
    if (m_events[number]) before.push_back(*m_events[number]);
    work(stream, before);
    end();
}

void RandomStreamProgram::hostWait() {
    const std::size_t stream = pick(m_streams.size());
    const std::size_t number = pick(m_events.size());
    formats::SyncEvent event;
    fill(event, stream);
    std::vector<std::size_t> waitedFor;
    switch (pick(8)) {
        case 0:
            event.kind = formats::SyncKind::ContextSync;
            event.streamId = 0;
            event.contextId = 1;
            for (std::size_t i = 0; i < m_streams.size(); ++i) {
                for (const std::size_t node : lastOf(i))
                    waitedFor.push_back(node);
            }
            break;
        case 1:
        case 2:
        case 3:
            event.kind = pick(2) != 0 ? formats::SyncKind::EventSync : formats::SyncKind::EventQuery;
            event.objectId = static_cast<std::int64_t>(number) + 1;
            event.streamId = 0;
            if (m_events[number]) waitedFor.push_back(*m_events[number]);
            break;
        default:
            event.kind = pick(2) != 0 ? formats::SyncKind::StreamSync : formats::SyncKind::StreamQuery;
            waitedFor = lastOf(stream);
    }
    m_model.sync(event);
    end(waitedFor);
}

void RandomStreamProgram::play(int calls) {
    for (int i = 0; i < calls && m_graph.size() + 4 < MomentGraph::kMostNodes; ++i) {
        begin();
        const std::size_t what = pick(20);
        if (what < 3)
            allocate();
        else if (what < 5)
            free();
        else if (what < 8)
            set();
        else if (what < 11)
            copy();
        else if (what < 12)
            blockingCopy();
        else if (what < 15)
            record();
        else if (what < 18)
            wait();
        else
            hostWait();
    }
}

bool RandomStreamProgram::isRacy(const MomentGraph& graph, const Use& a, const Use& b) {
    if (a.node == b.node || graph.isBefore(a.node, b.node) || graph.isBefore(b.node, a.node)) return false;
    const bool endsLife = b.kind == UseKind::OrderedFree || b.kind == UseKind::HostFree;
    // That memory is there when the host frees it at once, the driver sees to.
    if (a.kind == UseKind::Alloc) return b.kind != UseKind::HostFree;
    if (endsLife) return true;
    if (a.kind == UseKind::Read && b.kind == UseKind::Read) return false;
    return a.first < b.end && b.first < a.end;
}

std::vector<std::int64_t> RandomStreamProgram::racyBuffers() const {
    std::vector<std::int64_t> racy;
    for (const Buffer& buffer : m_buffers) {
        bool isAny = false;
        for (std::size_t i = 0; i < buffer.uses.size(); ++i) {
            for (std::size_t j = i + 1; j < buffer.uses.size(); ++j)
                isAny = isAny || isRacy(m_graph, buffer.uses[i], buffer.uses[j]);
        }
        if (isAny) racy.push_back(buffer.row.id.value);
    }
    return racy;
}

bool RandomStreamProgram::isRacyPair(std::int64_t bufferId, std::int64_t earlierNs,
                                     std::int64_t laterNs) const {
    const Buffer& buffer = m_buffers[static_cast<std::size_t>(bufferId - 1)];
    for (const Use& a : buffer.uses) {
        for (const Use& b : buffer.uses) {
            if (a.enterNs == earlierNs && b.enterNs == laterNs && isRacy(m_graph, a, b)) return true;
        }
    }
    return false;
}

}  // namespace vramscope::tests
