// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "formats/event_types.h"
#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::model {

/// Where a call stands among those of other threads.
struct CallOrder {
    std::int64_t timeNs = 0;
    std::int32_t rank = 0;  ///< of calls at one moment: what ends there comes before what begins there
    auto operator<=>(const CallOrder&) const = default;
};

/// The order that HappensBefore wants: waits of the host by their return, everything else by its beginning.
template <typename Event>
CallOrder orderOf(const Event& event) {
    return {event.enterNs, 3};
}
template <>
inline CallOrder orderOf(const formats::SyncEvent& event) {
    switch (event.kind) {
        case formats::SyncKind::StreamSync:
        case formats::SyncKind::ContextSync:
        case formats::SyncKind::EventSync:
        case formats::SyncKind::StreamQuery:
        case formats::SyncKind::EventQuery:
            return {event.exitNs, 0};
        default:
            return {event.enterNs, 3};
    }
}

/// A call that is not among the packed events; `number` means something to the caller.
struct OtherCall {
    CallOrder order;
    std::size_t number = 0;
};

/// What a reader gives to its caller, one after the other in order.
struct EventReceiver {
    std::function<void(const formats::LaunchEvent&)> launch;
    std::function<void(const formats::CopyEvent&, const std::vector<std::string>& apiOf)> copy;
    std::function<void(const formats::SetEvent&, const std::vector<std::string>& apiOf)> set;
    std::function<void(const formats::SyncEvent&)> sync;
    std::function<void(std::size_t number)> other;
};

/// Chunks open at once. Writers make chunks that overlap in time by a few; more is a file that was made to do
/// harm.
inline constexpr std::size_t kMostOpenChunks = 64;

/// Gives all packed events of a capture and `others` (any order) to `receiver`, merged by orderOf(). Holds
/// the chunks that overlap in time, about 2 MB each. Unreadable when a chunk is damaged or they cannot be put
/// in order.
Status readInOrder(formats::Connection& connection, std::vector<OtherCall> others,
                   const EventReceiver& receiver);

}  // namespace vramscope::model
