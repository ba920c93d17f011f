// SPDX-License-Identifier: Apache-2.0
#include "formats/event_columns.h"

#include <array>

namespace vramscope::formats {

namespace {

using enum ColumnCoding;
using enum ColumnShape;

constexpr std::array<const char*, 6> kDirections = {"unknown",        "host-to-host",     "host-to-device",
                                                    "device-to-host", "device-to-device", "peer"};
// In the order of SyncKind.
constexpr std::array<const char*, 11> kSyncKinds = {
    "stream-sync", "context-sync", "event-sync",    "event-record",     "stream-wait",   "stream-query",
    "event-query", "wait-value",   "host-function", "semaphore-signal", "semaphore-wait"};

// The columns of a kind and the fields of its struct, side by side so that they cannot drift apart.
template <typename Event>
struct Field {
    ColumnSpec column;
    FieldAccess<Event> access;
};

template <auto Member>
struct MemberOf;
template <typename Event, typename Value, Value Event::*Member>
struct MemberOf<Member> {
    static void getAll(std::span<const Event> events, std::uint64_t* out) {
        for (const Event& event : events)
            *out++ = static_cast<std::uint64_t>(event.*Member);
    }
    static void set(Event& event, std::uint64_t value) { event.*Member = static_cast<Value>(value); }
    static constexpr Field<Event> field(ColumnSpec column) { return {column, {getAll, set}}; }
};

template <auto Member>
constexpr auto field(const char* name, ColumnShape shape = Integer, ColumnCoding coding = Repeats) {
    return MemberOf<Member>::field({name, coding, shape, {}});
}

/// A column that goes with the place of the call.
template <auto Member>
constexpr auto site(const char* name, ColumnShape shape = Integer) {
    return field<Member>(name, shape, Site);
}

template <auto Member>
constexpr auto named(const char* name, std::span<const char* const> names) {
    return MemberOf<Member>::field({name, Site, Named, names});
}

using L = LaunchEvent;
constexpr std::array kLaunchFields = {
    field<&L::enterNs>("enter_ns", Integer, Time),
    field<&L::exitNs>("exit_ns", Integer, SinceEnter),
    site<&L::processId>("process_id", Id),
    site<&L::threadId>("thread_id", Id),
    site<&L::streamId>("stream_id", Id),
    site<&L::kernelId>("kernel_id", Id),
    site<&L::gridX>("grid_x"),
    site<&L::gridY>("grid_y"),
    site<&L::gridZ>("grid_z"),
    site<&L::blockX>("block_x"),
    site<&L::blockY>("block_y"),
    site<&L::blockZ>("block_z"),
    field<&L::argumentSetId>("argument_set_id", Id, Counter),
    site<&L::stackId>("stack_id", Id),
    site<&L::result>("result"),
};

using C = CopyEvent;
constexpr std::array kCopyFields = {
    field<&C::enterNs>("enter_ns", Integer, Time),
    field<&C::exitNs>("exit_ns", Integer, SinceEnter),
    site<&C::processId>("process_id", Id),
    site<&C::threadId>("thread_id", Id),
    site<&C::api>("api", ApiName),
    field<&C::srcBufferId>("src_buffer_id", Id),
    field<&C::srcOffset>("src_offset"),
    field<&C::srcAddress>("src_address"),
    field<&C::dstBufferId>("dst_buffer_id", Id),
    field<&C::dstOffset>("dst_offset"),
    field<&C::dstAddress>("dst_address"),
    field<&C::bytes>("bytes"),
    site<&C::widthBytes>("width_bytes"),
    site<&C::rows>("rows"),
    site<&C::slices>("slices"),
    site<&C::srcPitch>("src_pitch"),
    site<&C::dstPitch>("dst_pitch"),
    site<&C::srcSlicePitch>("src_slice_pitch"),
    site<&C::dstSlicePitch>("dst_slice_pitch"),
    site<&C::streamId>("stream_id", Id),
    site<&C::stackId>("stack_id", Id),
    site<&C::result>("result"),
    named<&C::direction>("direction", kDirections),
    site<&C::isAsync>("is_async"),
};

using S = SetEvent;
constexpr std::array kSetFields = {
    field<&S::enterNs>("enter_ns", Integer, Time),
    field<&S::exitNs>("exit_ns", Integer, SinceEnter),
    site<&S::processId>("process_id", Id),
    site<&S::threadId>("thread_id", Id),
    site<&S::api>("api", ApiName),
    field<&S::dstBufferId>("dst_buffer_id", Id),
    field<&S::dstOffset>("dst_offset"),
    field<&S::dstAddress>("dst_address"),
    field<&S::bytes>("bytes"),
    field<&S::value>("value"),
    site<&S::elementBytes>("element_bytes"),
    site<&S::widthBytes>("width_bytes"),
    site<&S::rows>("rows"),
    site<&S::pitch>("pitch"),
    site<&S::streamId>("stream_id", Id),
    site<&S::stackId>("stack_id", Id),
    site<&S::result>("result"),
    site<&S::isAsync>("is_async"),
    site<&S::isStreamWrite>("is_stream_write"),
};

using Y = SyncEvent;
constexpr std::array kSyncFields = {
    field<&Y::enterNs>("enter_ns", Integer, Time),
    field<&Y::exitNs>("exit_ns", Integer, SinceEnter),
    site<&Y::processId>("process_id", Id),
    site<&Y::threadId>("thread_id", Id),
    site<&Y::api>("api", ApiName),
    named<&Y::kind>("kind", kSyncKinds),
    site<&Y::streamId>("stream_id", Id),
    site<&Y::contextId>("context_id", Id),
    field<&Y::objectId>("object_id", Id),
    field<&Y::handle>("handle"),
    field<&Y::value>("value"),
    site<&Y::stackId>("stack_id", Id),
    site<&Y::result>("result"),
    site<&Y::flags>("flags"),
};

template <typename Event, std::size_t N>
constexpr std::array<ColumnSpec, N> columnsOf(const std::array<Field<Event>, N>& fields) {
    std::array<ColumnSpec, N> columns{};
    for (std::size_t i = 0; i < N; ++i)
        columns[i] = fields[i].column;
    return columns;
}

template <typename Event, std::size_t N>
constexpr std::array<FieldAccess<Event>, N> accessOf(const std::array<Field<Event>, N>& fields) {
    std::array<FieldAccess<Event>, N> access{};
    for (std::size_t i = 0; i < N; ++i)
        access[i] = fields[i].access;
    return access;
}

constexpr auto kLaunchColumns = columnsOf(kLaunchFields);
constexpr auto kCopyColumns = columnsOf(kCopyFields);
constexpr auto kSetColumns = columnsOf(kSetFields);
constexpr auto kSyncColumns = columnsOf(kSyncFields);
constexpr auto kLaunchAccess = accessOf(kLaunchFields);
constexpr auto kCopyAccess = accessOf(kCopyFields);
constexpr auto kSetAccess = accessOf(kSetFields);
constexpr auto kSyncAccess = accessOf(kSyncFields);

}  // namespace

const char* eventKindName(EventKind kind) {
    static constexpr std::array<const char*, kEventKindCount> kNames = {"launches", "copies", "sets",
                                                                        "syncs"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::span<const ColumnSpec> eventColumns(EventKind kind) {
    switch (kind) {
        case EventKind::Launches:
            return kLaunchColumns;
        case EventKind::Copies:
            return kCopyColumns;
        case EventKind::Sets:
            return kSetColumns;
        case EventKind::Syncs:
            break;
    }
    return kSyncColumns;
}

std::span<const FieldAccess<LaunchEvent>> EventTraits<LaunchEvent>::fields() {
    return kLaunchAccess;
}
std::span<const FieldAccess<CopyEvent>> EventTraits<CopyEvent>::fields() {
    return kCopyAccess;
}
std::span<const FieldAccess<SetEvent>> EventTraits<SetEvent>::fields() {
    return kSetAccess;
}
std::span<const FieldAccess<SyncEvent>> EventTraits<SyncEvent>::fields() {
    return kSyncAccess;
}

}  // namespace vramscope::formats
