// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/ordering_model.h"

#include "analyzer/model/amounts.h"

namespace vramscope::model {
namespace {

using formats::CopyDirection;
using formats::SyncKind;

constexpr std::uint32_t kInvalidValue = 1;
/// Addresses that streams write values to; a wait for one beyond them is taken for a wait for anything.
constexpr std::size_t kMostValues = 100'000;

template <typename Event>
OrderedCall callOf(const Event& event) {
    return {ProcessId{event.processId}, ThreadId{event.threadId}, event.enterNs, event.exitNs};
}

template <typename Event>
OrderedAccess accessOf(const Event& event, const StreamPoint& point, OrderedAction action) {
    OrderedAccess access;
    access.point = point;
    access.action = action;
    access.exitNs = event.exitNs;
    access.threadId = event.threadId;
    access.stackId = event.stackId;
    return access;
}

/// Whether the host knows at the call's return that the copy is done. Copies within the device do not wait,
/// even where their name does not say that they are asynchronous.
bool waitsForCopy(const formats::CopyEvent& event) {
    switch (event.direction) {
        case CopyDirection::DeviceToDevice:
            return !event.isAsync && (event.srcBufferId <= 0 || event.dstBufferId <= 0);
        case CopyDirection::HostToDevice:
            return !event.isAsync || event.srcBufferId <= 0;
        case CopyDirection::DeviceToHost:
            return !event.isAsync || event.dstBufferId <= 0;
        case CopyDirection::Peer:
            return !event.isAsync;
        default:
            return true;
    }
}

bool satisfies(std::uint32_t value, std::uint32_t wanted, std::uint32_t flags) {
    switch (flags & 3u) {
        case 1:
            return value == wanted;
        case 2:
            return (value & wanted) != 0;
        case 3:
            return ~(value | wanted) != 0;
        default:
            return static_cast<std::int32_t>(value - wanted) >= 0;
    }
}

bool isHostWait(SyncKind kind) {
    return kind == SyncKind::StreamSync || kind == SyncKind::ContextSync || kind == SyncKind::EventSync ||
           kind == SyncKind::StreamQuery || kind == SyncKind::EventQuery;
}

}  // namespace

OrderingModel::OrderingModel(const std::vector<StreamRow>& streams, ArgumentSource arguments)
    : m_order(streams), m_arguments(std::move(arguments)) {}

void OrderingModel::addGraphKernel(std::int64_t kernelId, ProcessId process) {
    m_graphKernels.insert(kernelId);
    m_order.expectGraphs(process);
    m_spaces[process].usesGraphs = true;
}

std::uint32_t OrderingModel::nameNumber(std::string_view api) {
    const auto [at, isNew] = m_nameNumbers.try_emplace(std::string(api), m_names.size());
    if (isNew) m_names.emplace_back(api);
    return at->second;
}

void OrderingModel::told(const OrderedCall& call, const StreamPoint& point, std::int64_t kernelId,
                         std::int64_t bufferId) {
    if (m_writers != nullptr) m_writers->work({call, point, kernelId, BufferId{bufferId}});
}

void OrderingModel::begin(const OrderedCall& call) {
    m_order.advanceTo(call.enterNs);
    if (!m_watched.empty()) settleWatched(call.enterNs);
}

void OrderingModel::launch(const formats::LaunchEvent& event) {
    const StreamIndex stream = m_order.indexOf(StreamId{event.streamId});
    if (event.result != 0 || stream == kNoStream) return;
    const OrderedCall call = callOf(event);
    begin(call);
    if (m_graphKernels.contains(event.kernelId)) {
        m_order.launchGraph(stream, call);
        return told(call, m_order.latest(stream, call), event.kernelId, 0);
    }
    OrderedAccess access = accessOf(event, m_order.operation(stream, call), OrderedAction::Launch);
    told(call, access.point, event.kernelId, 0);
    access.kernelId = event.kernelId;
    if (event.argumentSetId <= 0) return;
    for (const formats::LaunchArgument& argument : m_arguments(event.argumentSetId))
        touchLaunchArgument(argument, call, access);
}

void OrderingModel::copy(const formats::CopyEvent& event, std::span<const std::string> apiOf) {
    const StreamIndex stream = m_order.indexOf(StreamId{event.streamId});
    if (event.result != 0 && event.result != kInvalidValue) return;
    // A refused call may be the first that names its stream.
    if (event.result == 0 && stream == kNoStream) return;
    const OrderedCall call = callOf(event);
    begin(call);
    const bool wasRefused = event.result != 0;
    // A copy between devices that is not asynchronous waits for the work of both and holds theirs up.
    const bool isBarrier = event.direction == CopyDirection::Peer && !event.isAsync && !wasRefused;
    if (isBarrier) m_order.waitForUnknownEvent(stream, call);
    const StreamPoint point =
        wasRefused ? StreamPoint{stream, 0, event.enterNs} : m_order.operation(stream, call);
    const std::string_view api = event.api < apiOf.size() ? std::string_view(apiOf[event.api]) : "";
    const auto isNamed = [api](std::string_view part) { return api.find(part) != std::string_view::npos; };
    OrderedAccess access = accessOf(event, point, OrderedAction::Read);
    access.isCopy = true;
    access.isToHost = event.direction == CopyDirection::DeviceToHost;
    access.callName = nameNumber(api);
    if (event.srcBufferId <= 0 && (isNamed("DtoH") || isNamed("DtoD")))
        useDead(call.processId, event.srcAddress, access, call, wasRefused);
    // A batch may read its sources at any time that its attributes say, and a decompression tells only how
    // long its result is.
    if (!wasRefused && !isNamed("Batch")) touchRows(event, true, access);
    access.action = OrderedAction::Write;
    if (event.dstBufferId <= 0 && (isNamed("HtoD") || isNamed("DtoD")))
        useDead(call.processId, event.dstAddress, access, call, wasRefused);
    if (wasRefused) return;
    touchRows(event, false, access);
    told(call, point, 0, event.dstBufferId);
    if (waitsForCopy(event)) m_order.completeAtExit(stream, call);
}

void OrderingModel::set(const formats::SetEvent& event, std::span<const std::string> apiOf) {
    const StreamIndex stream = m_order.indexOf(StreamId{event.streamId});
    if (event.result != 0 && event.result != kInvalidValue) return;
    // A refused call may be the first that names its stream.
    if (event.result == 0 && stream == kNoStream) return;
    const OrderedCall call = callOf(event);
    begin(call);
    const bool wasRefused = event.result != 0;
    const StreamPoint point =
        wasRefused ? StreamPoint{stream, 0, event.enterNs} : m_order.operation(stream, call);
    OrderedAccess access = accessOf(event, point, OrderedAction::Write);
    access.callName = nameNumber(event.api < apiOf.size() ? std::string_view(apiOf[event.api]) : "");
    if (event.dstBufferId <= 0) useDead(call.processId, event.dstAddress, access, call, wasRefused);
    if (wasRefused) return;
    const bool hasRows = event.rows > 1 && event.pitch != event.widthBytes;
    formats::CopyEvent shape;  // a set is a copy without a source
    shape.processId = event.processId;
    shape.dstBufferId = event.dstBufferId;
    shape.dstAddress = event.dstAddress;
    shape.bytes = event.bytes;
    shape.widthBytes = event.widthBytes;
    shape.rows = hasRows ? event.rows : 0;
    shape.slices = hasRows ? 1 : 0;
    shape.dstPitch = event.pitch;
    touchRows(shape, false, access);
    told(call, point, 0, event.dstBufferId);
    if (event.isStreamWrite) {
        m_order.release(event.dstAddress, stream);
        if (m_values.size() < kMostValues)
            m_values[{call.processId, event.dstAddress}] = static_cast<std::uint32_t>(event.value);
    }
    const auto live = m_live.find(event.dstBufferId);
    const bool waits = live == m_live.end() || isPinnedHostMemory(live->second->buffer.kind) ||
                       live->second->buffer.kind == BufferKind::Managed;
    if (!event.isAsync && waits) m_order.completeAtExit(stream, call);
}

void OrderingModel::sync(const formats::SyncEvent& event) {
    const StreamIndex stream = m_order.indexOf(StreamId{event.streamId});
    const OrderedCall call = callOf(event);
    if (isHostWait(event.kind)) {
        if (event.result == formats::kNotReady) return;
        m_order.advanceTo(event.exitNs);
        const bool isEvent = event.kind == SyncKind::EventSync || event.kind == SyncKind::EventQuery;
        if (isEvent) return eventSync(event, kNoStream, call);
        if (event.kind == SyncKind::ContextSync) return m_order.contextDone(ContextId{event.contextId}, call);
        if (stream == kNoStream) return m_order.processDone(call);
        return m_order.streamDone(stream, call);
    }
    if (event.result != 0) return;
    begin(call);
    switch (event.kind) {
        case SyncKind::EventRecord:
        case SyncKind::StreamWait:
            return eventSync(event, stream, call);
        case SyncKind::WaitValue:
            return waitForValue(event, stream, call);
        default:
            break;
    }
    if (stream == kNoStream) return m_order.processDone(call);
    // Where a function of the host runs no record tells: it may have run by the time the call returned, and
    // it may have waited for anything.
    m_order.operation(stream, call);
    m_order.completeAtExit(stream, call);
    m_order.waitForAnything(stream);
}

void OrderingModel::eventSync(const formats::SyncEvent& event, StreamIndex stream, const OrderedCall& call) {
    const bool isKnown = event.objectId > 0;
    const auto same = m_sameEvents.find(event.objectId);
    const std::int64_t object = same != m_sameEvents.end() ? same->second : event.objectId;
    const auto handle = static_cast<std::uint64_t>(event.handle);
    const std::uint64_t number = isKnown
                                     ? static_cast<std::uint64_t>(object) << 1
                                     : (handle ^ static_cast<std::uint64_t>(event.processId) << 48) << 1 | 1;
    const bool isShared = m_sharedEvents.contains(event.objectId);
    switch (event.kind) {
        case SyncKind::EventRecord:
            return m_order.recordEvent(number, stream, call);
        case SyncKind::StreamWait:
            if (stream == kNoStream) return m_order.processDone(call);
            if (!isKnown) return m_order.waitForUnknownEvent(stream, call);
            return m_order.waitForEvent(number, isShared, stream, call);
        default:
            if (!isKnown) return m_order.processDone(call);
            return m_order.eventDone(number, isShared, call);
    }
}

void OrderingModel::waitForValue(const formats::SyncEvent& event, StreamIndex stream,
                                 const OrderedCall& call) {
    if (stream == kNoStream) return m_order.processDone(call);
    m_order.operation(stream, call);
    const auto value = m_values.find({call.processId, event.handle});
    const bool isThere = value != m_values.end() &&
                         satisfies(value->second, static_cast<std::uint32_t>(event.value), event.flags);
    if (isThere) return m_order.acquire(event.handle, stream);
    m_order.waitForAnything(stream);
}

void OrderingModel::contextEnded(ProcessId process, ContextId context, std::int64_t timeNs) {
    m_order.advanceTo(timeNs);
    m_order.contextDone(context, {process, {}, timeNs, timeNs});
}

std::vector<OrderingConflict> OrderingModel::finish() {
    settleWatched(kNever);
    return m_conflicts.take();
}

}  // namespace vramscope::model
