// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "analyzer/model/access_rows.h"
#include "analyzer/model/records.h"
#include "analyzer/model/string_pool.h"
#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::model {

struct Capture;

/// What a call did, or may have done, to bytes of a buffer.
struct Access {
    std::int64_t enterNs = 0;
    std::int64_t exitNs = 0;
    ProcessId processId;
    ThreadId threadId;
    StreamId streamId;
    TaskId taskId;
    TaskBasis basis = TaskBasis::Process;
    BufferId bufferId;
    std::int64_t offset = 0;
    std::int64_t sizeBytes =
        0;  ///< of a launch: to the end of the buffer, since what it touched is not known; of rows: of one
    AccessRows rows;              ///< of a copy or set with a pitch
    bool isLaunch = false;        ///< of a kernel; else evidence `api`: the call itself names the range
    bool isInstrumented = false;  ///< of a launch: its accesses were seen. The first and the last byte were
                                  ///< touched, those between perhaps; else evidence `argument`
    bool mayRead = false;
    bool mayWrite = false;
    bool isReadOnly = false;  ///< of a launch: its parameter is a pointer to const
    std::string_view what;    ///< the call, or the kernel's name as the driver has it
    std::string_view
        firstPlace;  ///< of a write with isInstrumented: the instruction that wrote the first byte
    std::string_view lastPlace;  ///< likewise the last (code_place.h)
    StackId stackId;
    std::int64_t callCount = 1;  ///< launches of one kernel with the same arguments are told once
    std::int64_t lastNs = 0;     ///< the last of them began
    /// Index in Capture::digestChanges where a digest shows that a launch changed the buffer (evidence
    /// `digest`); -1 for the others.
    std::int64_t digestChange = -1;

    /// One past the last byte; with rows the bytes between them are not touched.
    std::int64_t end() const { return offset + rows.lastOffset() + sizeBytes; }
    /// Whether it touches a byte of [begin, end).
    bool touches(std::int64_t begin, std::int64_t end) const;
    /// Nothing but a pointer in a launch's arguments speaks for it.
    bool isArgument() const { return isLaunch && !isInstrumented; }
};

struct AccessList {
    std::vector<Access> accesses;       ///< by enterNs
    std::shared_ptr<StringPool> names;  ///< what their texts are views into
    bool isWhole = true;                ///< false when there were too many to hold
};

/// Most accesses that are held; more make a list that is not whole.
inline constexpr std::size_t kMostAccesses = 2'000'000;

/// Reads copies, sets and launches of the capture behind `connection` and keeps the accesses of those buffers
/// that `wants` accepts.
StatusOr<AccessList> loadAccesses(formats::Connection& connection, const Capture& capture,
                                  const std::function<bool(BufferId)>& wants);

/// Gives every access of the capture to `take`, in no order. Texts are views into `names`. False when there
/// were too many different launches to tell of them all.
StatusOr<bool> forEachAccess(formats::Connection& connection, const Capture& capture, StringPool& names,
                             const std::function<void(const Access&)>& take);

}  // namespace vramscope::model
