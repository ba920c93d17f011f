// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/model/amounts.h"
#include "analyzer/model/ordering_model.h"

/// The memory side of OrderingModel: which buffer an access meets, and what that buffer has seen before.
namespace vramscope::model {
namespace {

/// A copy with more separate rows is left out.
constexpr std::uint64_t kMostRowsOfACopy = 4096;
/// Freed ranges that are remembered for uses that come too late; beyond that the oldest addresses go.
constexpr std::size_t kMostDead = 65'536;

bool isTooLarge(std::uint64_t size) {
    return size > static_cast<std::uint64_t>(kNever) / 2;
}

}  // namespace

OrderedSide OrderingModel::sideOf(const OrderedAccess& access) const {
    OrderedSide side;
    side.action = access.action;
    side.call = m_names[access.callName];
    side.kernelId = access.kernelId;
    if (access.point.stream != kNoStream) {
        side.streamId = m_order.idOf(access.point.stream);
        side.processId = m_order.processOf(access.point.stream);
    }
    side.threadId = ThreadId{access.threadId};
    if (access.stackId > 0) side.stackId = StackId{access.stackId};
    side.enterNs = access.point.enterNs;
    return side;
}

void OrderingModel::touchLaunchArgument(const formats::LaunchArgument& argument, const OrderedCall& call,
                                        const OrderedAccess& access) {
    const auto live = m_live.find(argument.bufferId);
    if (live == m_live.end()) {
        if (argument.bufferId == 0) useDead(call.processId, argument.offset, access, call, false);
        return;
    }
    Live& buffer = *live->second;
    if (argument.offset >= buffer.buffer.sizeBytes) return;
    const std::uint64_t address = buffer.buffer.address + argument.offset;
    // The kernel may write what a stream waits for.
    if (!m_values.empty()) forgetValues(call.processId, address, address + 1);
    touchBuffer(buffer, access, {argument.offset, argument.offset + 1});
}

void OrderingModel::touchRows(const formats::CopyEvent& event, bool isSource, const OrderedAccess& access) {
    const std::int64_t bufferId = isSource ? event.srcBufferId : event.dstBufferId;
    const std::uint64_t address = isSource ? event.srcAddress : event.dstAddress;
    const std::uint64_t pitch = isSource ? event.srcPitch : event.dstPitch;
    const std::uint64_t slicePitch = isSource ? event.srcSlicePitch : event.dstSlicePitch;
    if (bufferId <= 0 || isTooLarge(address) || isTooLarge(event.bytes)) return;
    const ProcessId process{event.processId};
    const std::uint64_t rows = std::max<std::uint64_t>(event.rows, 1);
    const std::uint64_t slices = std::max<std::uint64_t>(event.slices, 1);
    if (rows == 1 && slices == 1) {
        return touchBytes(bufferId, process, {address, address + event.bytes}, access);
    }
    if (rows > kMostRowsOfACopy || slices > kMostRowsOfACopy || rows * slices > kMostRowsOfACopy) return;
    if (isTooLarge(pitch * rows) || isTooLarge(event.widthBytes)) return;
    for (std::uint64_t slice = 0; slice < slices; ++slice) {
        for (std::uint64_t row = 0; row < rows; ++row) {
            const std::uint64_t first = address + slice * slicePitch + row * pitch;
            if (isTooLarge(first)) return;
            touchBytes(bufferId, process, {first, first + event.widthBytes}, access);
        }
    }
}

void OrderingModel::touchBytes(std::int64_t bufferId, ProcessId process, ByteRange addresses,
                               const OrderedAccess& access) {
    if (access.action == OrderedAction::Write && !m_values.empty())
        forgetValues(process, addresses.first, addresses.end);
    auto live = m_live.find(bufferId);
    // A range may run through mappings that lie side by side.
    while (live != m_live.end() && addresses.first < addresses.end) {
        Live& at = *live->second;
        const std::uint64_t start = at.buffer.address;
        const std::uint64_t end = start + at.buffer.sizeBytes;
        if (addresses.first < start || addresses.first >= end) return;
        touchBuffer(at, access, {addresses.first - start, std::min(addresses.end, end) - start});
        addresses.first = end;
        const ByAddress& all = m_spaces[process].live;
        const auto next = all.find(end);
        live = next != all.end() ? m_live.find(next->second) : m_live.end();
    }
}

void OrderingModel::touchBuffer(Live& live, const OrderedAccess& access, ByteRange bytes) {
    Memory& memory = *live.memory;
    const std::optional<Rival> rival = memory.history.touch(m_order, access, bytes);
    noteSize(memory);
    if (memory.freed) useFreedByExporter(live, access, bytes);
    const bool isSure = access.action != OrderedAction::Launch;
    const bool isRivalSure = rival && rival->access.action != OrderedAction::Launch;
    if (rival && (isRivalSure || !isSure)) {
        const bool readByCopy = rival->access.isCopy && rival->access.action == OrderedAction::Read;
        report(live, readByCopy ? ConflictKind::CopySource : ConflictKind::Access, rival->access, access,
               rival->bytes);
    } else if (memory.alloc && !m_order.isBefore(memory.alloc->point, access.point)) {
        report(live, ConflictKind::BeforeAlloc, *memory.alloc, access, bytes);
    } else if (rival) {
        report(live, ConflictKind::Access, rival->access, access, rival->bytes);
    }
    if (m_kept > m_forgetAt) forgetSome();
}

std::int64_t OrderingModel::report(Live& live, ConflictKind kind, const OrderedAccess& earlier,
                                   const OrderedAccess& later, ByteRange bytes) {
    OrderingConflict conflict;
    conflict.kind = kind;
    conflict.processId = live.buffer.processId;
    conflict.bufferId = live.buffer.id;
    conflict.earlier = sideOf(earlier);
    conflict.later = sideOf(later);
    conflict.later.processId = live.buffer.processId;
    conflict.offset = static_cast<std::int64_t>(bytes.first);
    conflict.restsOnArgument =
        earlier.action == OrderedAction::Launch || later.action == OrderedAction::Launch;
    if (!conflict.restsOnArgument) conflict.sizeBytes = static_cast<std::int64_t>(bytes.end - bytes.first);
    conflict.isContended = m_order.isContended(earlier.point) ||
                           (later.point.stream != kNoStream && m_order.isContended(later.point));
    if (conflict.isAcrossProcesses()) {
        conflict.processId = live.memory->home.processId;
        conflict.bufferId = live.memory->home.id;
        if (!isToldAcross(conflict, earlier, later)) return -1;
    }
    BufferConflicts& conflicts = live.memory->conflicts;
    BufferConflicts::Said* said = conflicts.find(earlier.point.stream, later.point.stream);
    if (said != nullptr && (said->isCertain || !conflict.isCertain())) return said->conflict;
    if (said != nullptr) m_conflicts.takeBack(said->conflict);
    const std::int64_t number = m_conflicts.add(conflict);
    if (said == nullptr)
        conflicts.add({earlier.point.stream, later.point.stream, number, conflict.isCertain()});
    else
        *said = {earlier.point.stream, later.point.stream, number, conflict.isCertain()};
    if (conflict.isCertain() && number >= 0)
        m_watched.push_back({number, earlier.point, later.point, later.exitNs, conflict});
    return number;
}

void OrderingModel::settleWatched(std::int64_t untilNs) {
    std::erase_if(m_watched, [&](Watched& watched) {
        const bool isContended = m_order.isContended(watched.earlier) ||
                                 (watched.later.stream != kNoStream && m_order.isContended(watched.later));
        if (isContended) {
            m_conflicts.takeBack(watched.conflict, watched.unsure);
            watched.unsure.isContended = true;
            m_conflicts.add(watched.unsure);
        }
        return isContended || watched.exitNs < untilNs;
    });
}

void OrderingModel::alloc(const OrderedBuffer& buffer, const BufferCall& call) {
    if (buffer.sizeBytes == 0 || isTooLarge(buffer.address) || isTooLarge(buffer.sizeBytes)) return;
    begin(call.call);
    auto live = std::make_unique<Live>();
    live->buffer = buffer;
    live->memory = memoryOf(buffer);
    if (call.stream != kNoStream) {
        OrderedAccess access;
        access.point = m_order.operation(call.stream, call.call);
        access.action = OrderedAction::Alloc;
        access.exitNs = call.call.exitNs;
        access.callName = nameNumber(call.api);
        access.threadId = call.call.threadId.value;
        access.stackId = call.stackId.value;
        if (live->isHome()) live->memory->alloc = access;
    }
    if (buffer.kind != BufferKind::Array) {
        giveOutAgain(buffer);
        m_spaces[buffer.processId].live[buffer.address] = buffer.id.value;
    }
    m_live[buffer.id.value] = std::move(live);
}

void OrderingModel::free(const OrderedBuffer& buffer, const BufferCall& call) {
    begin(call.call);
    const auto found = m_live.find(buffer.id.value);
    OrderedAccess access;
    access.action = OrderedAction::Free;
    access.point = {kNoStream, 0, call.call.enterNs};
    if (call.stream != kNoStream) access.point = m_order.operation(call.stream, call.call);
    if (found == m_live.end()) return;
    access.exitNs = call.call.exitNs;
    access.callName = nameNumber(call.api);
    access.threadId = call.call.threadId.value;
    access.stackId = call.stackId.value;
    Live& live = *found->second;
    // What no call freed ended with its context or its process. Frees of other memory wait for the work.
    const bool isJudged = !call.api.empty() && (call.stream != kNoStream || buffer.kind == BufferKind::Async);
    const std::int64_t conflict = isJudged ? reportFree(live, access) : -1;
    Space& space = m_spaces[buffer.processId];
    const auto at = space.live.find(buffer.address);
    if (at != space.live.end() && at->second == buffer.id.value) space.live.erase(at);
    if (!call.api.empty()) bury(live, access, call.call, conflict);
    if (live.memory.use_count() == 1) m_kept -= std::min(m_kept, live.memory->size);
    m_live.erase(found);
}

std::int64_t OrderingModel::reportFree(Live& live, const OrderedAccess& access) {
    const StreamIndex stream = access.point.stream;
    const ByteRange all{0, live.buffer.sizeBytes};
    // Who only has an import gives back no more than that.
    const auto only = live.isHome() ? std::nullopt : std::optional(live.buffer.processId);
    const std::optional<OrderedAccess> alloc = live.isHome() ? live.memory->alloc : std::nullopt;
    const std::optional<Rival> rival = live.memory->history.end(m_order, access.point, only);
    const bool isSure = rival && rival->access.action != OrderedAction::Launch;
    if (isSure) {
        const bool readByCopy = rival->access.isCopy && rival->access.action == OrderedAction::Read;
        const auto kind =
            readByCopy && stream != kNoStream ? ConflictKind::CopySource : ConflictKind::PendingFree;
        return report(live, kind, rival->access, access, rival->bytes);
    }
    if (alloc && stream != kNoStream && !m_order.isBefore(alloc->point, access.point))
        return report(live, ConflictKind::BeforeAlloc, *alloc, access, all);
    return rival ? report(live, ConflictKind::PendingFree, rival->access, access, rival->bytes) : -1;
}

void OrderingModel::bury(const Live& live, const OrderedAccess& access, const OrderedCall& call,
                         std::int64_t conflict) {
    const OrderedBuffer& buffer = live.buffer;
    const bool isDeviceMemory = buffer.kind == BufferKind::Device || buffer.kind == BufferKind::Async;
    if (!isDeviceMemory) return;
    auto& dead = m_spaces[buffer.processId].dead;
    if (dead.size() >= kMostDead) dead.erase(dead.begin());
    const Dead gone{buffer, access, call, access.point.stream != kNoStream, conflict};
    if (live.isHome()) live.memory->freed = gone;
    dead[buffer.address] = gone;
}

void OrderingModel::giveOutAgain(const OrderedBuffer& buffer) {
    auto& dead = m_spaces[buffer.processId].dead;
    const std::uint64_t end = buffer.address + buffer.sizeBytes;
    auto at = dead.upper_bound(buffer.address);
    if (at != dead.begin()) {
        const auto before = std::prev(at);
        if (before->second.buffer.address + before->second.buffer.sizeBytes > buffer.address) at = before;
    }
    while (at != dead.end() && at->first < end) {
        if (at->second.conflict >= 0) {
            OrderingConflict& conflict = m_conflicts.at(at->second.conflict);
            if (conflict.reusedBy.isNone()) conflict.reusedBy = buffer.id;
        }
        at = dead.erase(at);
    }
}

void OrderingModel::useDead(ProcessId process, std::uint64_t address, const OrderedAccess& access,
                            const OrderedCall& call, bool wasRefused) {
    Space& space = m_spaces[process];
    auto at = space.dead.upper_bound(address);
    if (at == space.dead.begin()) return;
    const Dead& dead = std::prev(at)->second;
    if (address - dead.buffer.address >= dead.buffer.sizeBytes) return;
    if (dead.call.threadId != call.threadId && dead.call.exitNs >= call.enterNs) return;
    // What the driver takes is memory again, by a call that was not seen, unless it is the pool's still.
    if (!wasRefused && (dead.buffer.kind != BufferKind::Async || space.usesGraphs)) return;
    OrderingConflict conflict;
    // The driver refuses from the moment that the free returned, whatever its stream has done.
    const bool isOrdered = wasRefused || !dead.wasOrdered || m_order.isBefore(dead.free.point, access.point);
    conflict.kind = isOrdered ? ConflictKind::AfterFree : ConflictKind::UnorderedFree;
    conflict.processId = process;
    conflict.bufferId = dead.buffer.id;
    conflict.earlier = sideOf(dead.free);
    conflict.later = sideOf(access);
    conflict.earlier.processId = conflict.later.processId = process;
    conflict.offset = static_cast<std::int64_t>(address - dead.buffer.address);
    conflict.restsOnArgument = access.action == OrderedAction::Launch;
    conflict.wasRefused = wasRefused;
    m_conflicts.add(conflict);
}

void OrderingModel::forgetValues(ProcessId process, std::uint64_t first, std::uint64_t end) {
    // A value of eight bytes may begin before the range.
    const std::uint64_t from = first < 7 ? 0 : first - 7;
    const auto begin = m_values.lower_bound({process, from});
    m_values.erase(begin, m_values.lower_bound({process, end}));
}

void OrderingModel::noteSize(Memory& memory) {
    const std::size_t size = memory.history.size();
    m_kept = m_kept - memory.size + size;
    memory.size = size;
}

void OrderingModel::forgetSome() {
    for (auto& [id, live] : m_live) {
        live->memory->history.forgetDone(m_order);
        noteSize(*live->memory);
    }
    if (m_kept > kMostKept / 2) {
        for (auto& [id, live] : m_live) {
            if (live->memory->size < kMostKept / 16) continue;
            live->memory->history = {};
            noteSize(*live->memory);
            ++m_forgottenCount;
        }
    }
    if (m_kept > kMostKept / 2) {
        for (auto& [id, live] : m_live) {
            live->memory->history = {};
            noteSize(*live->memory);
        }
        m_forgottenCount += static_cast<std::int64_t>(m_live.size());
    }
    m_forgetAt = std::max<std::size_t>(65'536, 2 * m_kept);
}

}  // namespace vramscope::model
