// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "formats/event_types.h"

namespace vramscope::formats {

/// How a column is turned into numbers that compress well.
enum class ColumnCoding : std::uint8_t {
    Repeats,     ///< values that recur: as they are, or as differences where that is smaller
    Time,        ///< rises from event to event: differences
    SinceEnter,  ///< just after the event's enter_ns: differences to that
    Counter,     ///< numbers given out in order, or used again
    Site,        ///< goes with the place the call is made from: stored once for each combination in the chunk
};

/// How a column reads in SQL.
enum class ColumnShape : std::uint8_t {
    Integer,
    Id,       ///< integer; 0 reads as NULL
    ApiName,  ///< index into the chunk's names; reads as text, 0 as NULL
    Named     ///< index into ColumnSpec::names; reads as text
};

/// One column of an event kind. The order of a kind's columns is part of the format: new ones go to the end.
struct ColumnSpec {
    const char* name;
    ColumnCoding coding = ColumnCoding::Repeats;
    ColumnShape shape = ColumnShape::Integer;
    std::span<const char* const> names = {};
};

/// The value of event_chunks.kind.
const char* eventKindName(EventKind kind);
/// The columns of `kind`; the first is always enter_ns and the second exit_ns.
std::span<const ColumnSpec> eventColumns(EventKind kind);

/// Access to one field of an event as a number.
template <typename Event>
struct FieldAccess {
    void (*getAll)(std::span<const Event>, std::uint64_t* out);
    void (*set)(Event&, std::uint64_t);
};

/// EventTraits<LaunchEvent>::kKind, and fields() in the order of eventColumns(kKind).
template <typename Event>
struct EventTraits;

template <>
struct EventTraits<LaunchEvent> {
    static constexpr EventKind kKind = EventKind::Launches;
    static std::span<const FieldAccess<LaunchEvent>> fields();
};
template <>
struct EventTraits<CopyEvent> {
    static constexpr EventKind kKind = EventKind::Copies;
    static std::span<const FieldAccess<CopyEvent>> fields();
};
template <>
struct EventTraits<SetEvent> {
    static constexpr EventKind kKind = EventKind::Sets;
    static std::span<const FieldAccess<SetEvent>> fields();
};
template <>
struct EventTraits<SyncEvent> {
    static constexpr EventKind kKind = EventKind::Syncs;
    static std::span<const FieldAccess<SyncEvent>> fields();
};

}  // namespace vramscope::formats
