// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/ownership_table.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "collector/recorder/or_null.h"
#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

namespace {

using formats::OwnershipEvent;

// A job that hands out and never takes back is wrong, but must not grow the recorder without end.
constexpr std::size_t kMostOpen = 4'000'000;
constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;

std::string_view textOf(const ResolvedCall& call) {
    return call.text(call.record.text.textBytes);
}

}  // namespace

void OwnershipTable::add(const ResolvedCall& call) {
    const std::uint64_t address = call.record.text.handle;
    switch (static_cast<OwnershipEvent>(call.header().detail)) {
        case OwnershipEvent::Give:
            return change(call, "give");
        case OwnershipEvent::LendRead:
            return change(call, "lend-read");
        case OwnershipEvent::LendWrite:
            return change(call, "lend-write");
        case OwnershipEvent::LendEnd:
            return change(call, "lend-end");
        case OwnershipEvent::Name:
            addPiece(call, "region", m_tasks.taskOf(call));
            return;
        case OwnershipEvent::Heap:
            if (m_heaps.size() < kMostOpen)
                m_heaps[address] = {addPiece(call, "heap", 0), heapRangeOf(call).sizeBytes};
            return;
        case OwnershipEvent::HeapEnd:
            return endHeap(call);
        case OwnershipEvent::Block:
            endPiece(m_blocks, address, call.header().enterTicks);
            return openPiece(m_blocks, call, "block", m_tasks.taskOf(call));
        case OwnershipEvent::BlockEnd:
            return endPiece(m_blocks, address, call.header().enterTicks);
        case OwnershipEvent::Step:
            return step(call);
        case OwnershipEvent::HeapFailed:
        case OwnershipEvent::Count:
            return;
    }
}

OwnershipTable::Range OwnershipTable::rangeOf(const ResolvedCall& call) const {
    const std::uint64_t address = call.record.text.handle;
    const std::uint64_t wanted = call.record.text.extra;
    const BufferRow* row = m_addresses.find(address, call.header().enterTicks);
    if (row == nullptr) return {0, 0, std::min(wanted, kLargest)};
    const std::uint64_t offset = address - row->address;
    const std::uint64_t rest = row->sizeBytes > offset ? row->sizeBytes - offset : 0;
    return {row->bufferId, offset, wanted == 0 ? rest : std::min(wanted, rest)};
}

OwnershipTable::Range OwnershipTable::heapRangeOf(const ResolvedCall& call) const {
    Range range = rangeOf(call);
    const BufferRow* row = m_addresses.find(call.record.text.handle, call.header().enterTicks);
    // A heap in a reserved range goes on over many mappings; it is whole where its first byte is mapped.
    const bool canGoOn = row != nullptr && row->kind == formats::BufferKind::Vmm;
    if (canGoOn) range.sizeBytes = std::max(range.sizeBytes, std::min(call.record.text.extra, kLargest));
    return range;
}

void OwnershipTable::change(const ResolvedCall& call, const char* kind) {
    const Range range = rangeOf(call);
    const std::string_view to = textOf(call);
    const std::int64_t toTask = to.empty() ? 0 : m_scope.sink.tasks().shared(to, "annotation");
    m_scope.sink.run(
        "INSERT INTO ownership(ownership_id, process_id, kind, address, buffer_id, offset_bytes, size_bytes, "
        "to_task_id, by_task_id, time_ns, thread_id, stack_id) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
        m_scope.sink.nextId("ownership"), m_scope.processId, kind, call.record.text.handle,
        orNull(range.bufferId), range.offset, range.sizeBytes, orNull(toTask), orNull(m_tasks.taskOf(call)),
        m_scope.sink.sessionTime(call.header().enterTicks), orNull(call.threadId), orNull(call.stackId));
}

std::int64_t OwnershipTable::addPiece(const ResolvedCall& call, const char* kind, std::int64_t taskId) {
    const bool isHeap = static_cast<OwnershipEvent>(call.header().detail) == OwnershipEvent::Heap;
    const Range range = isHeap ? heapRangeOf(call) : rangeOf(call);
    const std::int64_t id = m_scope.sink.nextId("sub_buffers");
    m_scope.sink.run(
        "INSERT INTO sub_buffers(sub_buffer_id, process_id, kind, address, buffer_id, offset_bytes, "
        "size_bytes, "
        "name, task_id, start_ns, thread_id, stack_id) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
        id, m_scope.processId, kind, call.record.text.handle, orNull(range.bufferId), range.offset,
        range.sizeBytes, orNull(textOf(call)), orNull(taskId),
        m_scope.sink.sessionTime(call.header().enterTicks), orNull(call.threadId), orNull(call.stackId));
    return id;
}

void OwnershipTable::openPiece(OpenPieces& open, const ResolvedCall& call, const char* kind,
                               std::int64_t taskId) {
    const std::int64_t id = addPiece(call, kind, taskId);
    if (open.size() < kMostOpen) open[call.record.text.handle] = id;
}

void OwnershipTable::endPiece(OpenPieces& open, std::uint64_t address, std::uint64_t timeTicks) {
    const auto found = open.find(address);
    if (found == open.end()) return;
    m_scope.sink.run("UPDATE sub_buffers SET end_ns=? WHERE sub_buffer_id=?",
                     m_scope.sink.sessionTime(timeTicks), found->second);
    open.erase(found);
}

void OwnershipTable::endHeap(const ResolvedCall& call) {
    const auto found = m_heaps.find(call.record.text.handle);
    if (found == m_heaps.end()) return;
    const std::uint64_t end = found->first + found->second.sizeBytes;
    while (true) {
        const auto block = m_blocks.lower_bound(found->first);
        if (block == m_blocks.end() || block->first >= end) break;
        endPiece(m_blocks, block->first, call.header().enterTicks);
    }
    m_scope.sink.run("UPDATE sub_buffers SET end_ns=? WHERE sub_buffer_id=?",
                     m_scope.sink.sessionTime(call.header().enterTicks), found->second.pieceId);
    m_heaps.erase(found);
}

void OwnershipTable::step(const ResolvedCall& call) {
    const std::int64_t nowNs = m_scope.sink.sessionTime(call.header().enterTicks);
    if (m_openStep != 0) m_scope.sink.run("UPDATE phases SET end_ns=? WHERE phase_id=?", nowNs, m_openStep);
    m_openStep = m_scope.sink.nextId("phases");
    const std::string_view name = textOf(call);
    m_scope.sink.run(
        "INSERT INTO phases(phase_id, process_id, thread_id, name, kind, start_ns) VALUES(?,?,?,?,'step',?)",
        m_openStep, m_scope.processId, orNull(call.threadId), name.empty() ? "step" : name, nowNs);
}

Status OwnershipTable::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement pieces,
        capture.prepare("SELECT sub_buffer_id, kind, address, size_bytes FROM sub_buffers WHERE process_id=? "
                        "AND end_ns IS NULL AND kind IN ('heap', 'block') ORDER BY sub_buffer_id"));
    VRAMSCOPE_RETURN_IF_ERROR(forEachRow(pieces, m_scope.processId, [this](const formats::Statement& row) {
        if (row.columnText(1) == "heap") {
            m_heaps[row.columnAddress(2)] = {row.columnInt(0), row.columnAddress(3)};
        } else {
            m_blocks[row.columnAddress(2)] = row.columnInt(0);
        }
    }));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement step,
        capture.prepare(
            "SELECT max(phase_id) FROM phases WHERE process_id=? AND kind='step' AND end_ns IS NULL"));
    return forEachRow(step, m_scope.processId,
                      [this](const formats::Statement& row) { m_openStep = row.columnInt(0); });
}

}  // namespace vramscope::collector
