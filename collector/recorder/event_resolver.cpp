// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/event_resolver.h"

#include <optional>
#include <string_view>

#include "collector/api_names/api_names.h"
#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

using api_names::callName;

using formats::ArgumentWord;
using formats::CopyDirection;

namespace {

// The call's name tells the direction where it has one; cuMemcpy and the shaped copies do not.
std::optional<CopyDirection> directionOf(std::string_view api) {
    const auto has = [api](std::string_view part) { return api.find(part) != std::string_view::npos; };
    if (has("HtoD") || has("HtoA")) return CopyDirection::HostToDevice;
    if (has("DtoH") || has("AtoH")) return CopyDirection::DeviceToHost;
    if (has("Peer")) return CopyDirection::Peer;
    if (has("DtoD") || has("DtoA") || has("AtoD") || has("AtoA")) return CopyDirection::DeviceToDevice;
    return std::nullopt;
}

// The number of a call's name in a writer, which keeps it for its life.
template <typename Numbers, typename Writer>
std::uint32_t apiNumber(Numbers& numbers, Writer& writer, std::uint16_t api) {
    if (const std::uint32_t* recent = numbers.find(api, api)) return *recent;
    const std::uint32_t number = writer.internApi(callName(api));
    numbers.put(api, api, number);
    return number;
}

CopyDirection directionBetween(bool fromDevice, bool toDevice) {
    if (fromDevice) return toDevice ? CopyDirection::DeviceToDevice : CopyDirection::DeviceToHost;
    return toDevice ? CopyDirection::HostToDevice : CopyDirection::HostToHost;
}

}  // namespace

template <typename Event>
Event EventResolver::begin(const ResolvedCall& call) const {
    Event event;
    event.enterNs = m_scope.sink.sessionTime(call.header().enterTicks);
    event.exitNs = m_scope.sink.sessionTime(call.header().exitTicks);
    event.processId = m_scope.processId;
    event.threadId = call.threadId;
    event.stackId = call.stackId;
    event.result = call.header().result;
    return event;
}

EventResolver::Place EventResolver::placeOf(std::uint64_t address, std::uint64_t timeTicks) const {
    const BufferRow* row = m_addresses.find(address, timeTicks);
    if (row == nullptr) return {0, 0, false};
    const bool isHost =
        row->kind == formats::BufferKind::Pinned || row->kind == formats::BufferKind::Registered;
    return {row->bufferId, address - row->address, !isHost};
}

EventResolver::CopyApi EventResolver::copyApi(std::uint16_t api) {
    if (const CopyApi* recent = m_copyApis.find(api, api)) return *recent;
    const std::string_view name = callName(api);
    const CopyApi made{m_scope.sink.copies().internApi(name), directionOf(name)};
    m_copyApis.put(api, api, made);
    return made;
}

std::int64_t EventResolver::kernelOf(std::uint64_t handle, const char* nameIfNew) {
    if (const std::int64_t* recent = m_recentKernels.find(handle, handle)) return *recent;
    const auto [found, isNew] = m_kernels.try_emplace(handle, 0);
    if (isNew) {
        found->second = m_scope.sink.nextId("kernels");
        m_scope.sink.run("INSERT INTO kernels(kernel_id, process_id, handle, name) VALUES(?,?,?,?)",
                         found->second, m_scope.processId, handle,
                         nameIfNew != nullptr ? std::optional<std::string_view>(nameIfNew) : std::nullopt);
    }
    m_recentKernels.put(handle, handle, found->second);
    return found->second;
}

std::int64_t EventResolver::newKernel(std::uint64_t handle, std::string_view name) {
    const std::int64_t id = m_scope.sink.nextId("kernels");
    m_kernels[handle] = id;
    m_recentKernels.put(handle, handle, id);
    m_scope.sink.run("INSERT INTO kernels(kernel_id, process_id, handle, name) VALUES(?,?,?,?)", id,
                     m_scope.processId, handle, name);
    return id;
}

void EventResolver::kernelName(const ResolvedCall& call) {
    newKernel(call.record.text.handle, call.text(call.record.text.textBytes));
}

void EventResolver::resolveArguments(const ResolvedCall& call) {
    const auto* words = reinterpret_cast<const ArgumentWord*>(&call.record + 1);
    const std::size_t count = (call.slotCount - 1u) * (formats::kSlotBytes / sizeof(ArgumentWord));
    m_arguments.clear();
    for (std::size_t i = 0; i < count; ++i) {
        const ArgumentWord word = words[i];
        if (word == 0) return;
        const std::uint64_t address = formats::argumentAddress(word);
        const Place place = placeOf(address, call.header().enterTicks);
        // A word in a marked page that no buffer held is most likely a number; a pointer to memory that is
        // long dead looks the same. It is kept as what it is.
        m_arguments.push_back({formats::argumentOffsetBytes(word), place.bufferId,
                               place.bufferId != 0 ? place.offset : address});
    }
}

formats::LaunchEvent EventResolver::launch(const ResolvedCall& call) {
    const formats::LaunchPayload& payload = call.record.launch;
    auto event = begin<formats::LaunchEvent>(call);
    event.streamId = m_identities.streamOf(call, payload.stream, call.header().enterTicks);
    const bool isGraph = (call.header().detail & formats::kLaunchGraph) != 0;
    event.kernelId = kernelOf(payload.function, isGraph ? "(graph)" : nullptr);
    event.gridX = payload.gridX;
    event.gridY = payload.gridY;
    event.gridZ = payload.gridZ;
    event.blockX = isGraph ? 0 : formats::blockX(payload.packedBlock);
    event.blockY = isGraph ? 0 : formats::blockY(payload.packedBlock);
    event.blockZ = isGraph ? 0 : formats::blockZ(payload.packedBlock);
    resolveArguments(call);
    m_scope.sink.note(m_scope.sink.launches().add(event, m_arguments));
    return event;
}

void EventResolver::copy(const ResolvedCall& call) {
    const formats::CopyPayload& payload = call.record.copy;
    const std::uint8_t detail = call.header().detail;
    auto event = begin<formats::CopyEvent>(call);
    const CopyApi api = copyApi(call.header().api);
    event.api = api.number;
    const Place source = placeOf(payload.source, call.header().enterTicks);
    const Place destination = placeOf(payload.destination, call.header().enterTicks);
    event.srcBufferId = source.bufferId;
    event.srcOffset = source.offset;
    event.srcAddress = payload.source;
    event.dstBufferId = destination.bufferId;
    event.dstOffset = destination.offset;
    event.dstAddress = payload.destination;
    event.bytes = payload.sizeBytes;
    event.isAsync = (detail & formats::kCopyAsync) != 0;
    event.streamId = m_identities.streamOf(call, payload.stream, call.header().enterTicks);
    event.direction = api.direction.value_or(
        directionBetween(source.isDevice || (detail & formats::kCopyFromArray) != 0,
                         destination.isDevice || (detail & formats::kCopyToArray) != 0));
    if ((detail & formats::kCopyHasLayout) != 0 && call.slotCount > 1) {
        const auto& layout = *reinterpret_cast<const formats::CopyLayout*>(&call.record + 1);
        event.widthBytes = layout.widthBytes;
        event.rows = layout.rows;
        event.slices = layout.slices;
        event.srcPitch = layout.sourcePitch;
        event.dstPitch = layout.destinationPitch;
        event.srcSlicePitch = layout.sourceSlicePitch;
        event.dstSlicePitch = layout.destinationSlicePitch;
    }
    m_scope.sink.note(m_scope.sink.copies().add(event));
}

void EventResolver::set(const ResolvedCall& call) {
    const formats::SetPayload& payload = call.record.set;
    auto event = begin<formats::SetEvent>(call);
    event.api = apiNumber(m_setApis, m_scope.sink.sets(), call.header().api);
    const Place destination = placeOf(payload.destination, call.header().enterTicks);
    event.dstBufferId = destination.bufferId;
    event.dstOffset = destination.offset;
    event.dstAddress = payload.destination;
    event.bytes = payload.sizeBytes;
    event.value = payload.value;
    event.elementBytes = payload.elementBytes;
    event.isAsync = (call.header().detail & formats::kCopyAsync) != 0;
    event.isStreamWrite = call.header().type == static_cast<std::uint16_t>(formats::RecordType::StreamWrite);
    event.streamId = m_identities.streamOf(call, payload.stream, call.header().enterTicks);
    if ((call.header().detail & formats::kCopyHasLayout) != 0 && call.slotCount > 1) {
        const auto& layout = *reinterpret_cast<const formats::CopyLayout*>(&call.record + 1);
        event.widthBytes = layout.widthBytes;
        event.rows = layout.rows;
        event.pitch = layout.destinationPitch;
    }
    m_scope.sink.note(m_scope.sink.sets().add(event));
}

void EventResolver::sync(const ResolvedCall& call) {
    const formats::SyncPayload& payload = call.record.sync;
    auto event = begin<formats::SyncEvent>(call);
    event.api = apiNumber(m_syncApis, m_scope.sink.syncs(), call.header().api);
    event.kind = static_cast<formats::SyncKind>(call.header().detail);
    event.contextId = call.contextId;
    const bool namesStream = event.kind != formats::SyncKind::ContextSync &&
                             event.kind != formats::SyncKind::EventSync &&
                             event.kind != formats::SyncKind::EventQuery && payload.isGlobal == 0;
    if (namesStream) event.streamId = m_identities.streamOf(call, payload.stream, call.header().enterTicks);
    event.handle = payload.object;
    event.value = payload.value;
    event.flags = payload.flags;
    event.objectId = m_objects.eventOf(payload.object);
    m_scope.sink.note(m_scope.sink.syncs().add(event));
}

Status EventResolver::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement kernels,
        capture.prepare("SELECT kernel_id, handle FROM kernels WHERE process_id=? ORDER BY kernel_id"));
    return forEachRow(kernels, m_scope.processId, [this](const formats::Statement& row) {
        m_kernels[row.columnAddress(1)] = row.columnInt(0);
    });
}

}  // namespace vramscope::collector
