// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace vramscope::model {

/// A row number of the capture that cannot be mixed up with one of another table. Default-constructed: none.
template <typename Tag>
struct Id {
    std::int64_t value = -1;

    bool isNone() const { return value < 0; }
    auto operator<=>(const Id&) const = default;
};

using ProcessId = Id<struct ProcessTag>;
using DeviceId = Id<struct DeviceTag>;
using ContextId = Id<struct ContextTag>;
using ThreadId = Id<struct ThreadTag>;
using StreamId = Id<struct StreamTag>;
using TaskId = Id<struct TaskTag>;
using ModuleId = Id<struct ModuleTag>;
using SubBufferId = Id<struct SubBufferTag>;
using FrameId = Id<struct FrameTag>;
using StackId = Id<struct StackTag>;
using BufferId = Id<struct BufferTag>;
using PoolId = Id<struct PoolTag>;
using HandleId = Id<struct HandleTag>;
using ReservationId = Id<struct ReservationTag>;
using ObjectId = Id<struct ObjectTag>;
using FailedCallId = Id<struct FailedCallTag>;
using JobExceptionId = Id<struct JobExceptionTag>;
using GuardHitId = Id<struct GuardHitTag>;
using PhaseId = Id<struct PhaseTag>;

}  // namespace vramscope::model

template <typename Tag>
struct std::hash<vramscope::model::Id<Tag>> {
    std::size_t operator()(vramscope::model::Id<Tag> id) const noexcept {
        return std::hash<std::int64_t>{}(id.value);
    }
};
