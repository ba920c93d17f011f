// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/ids.h"

namespace vramscope::model {

/// What two calls, which nothing orders, do to the same bytes.
enum class ConflictKind : std::uint8_t {
    Access,         ///< one writes what the other reads or writes
    CopySource,     ///< the source of a copy is written or freed before the copy is done
    PendingFree,    ///< memory is freed while work on it may still be to come
    BeforeAlloc,    ///< stream-ordered memory is used or freed before its allocation
    AfterFree,      ///< used after it was freed, in an order that is known
    UnorderedFree,  ///< used after it was freed on another stream, so that not even that order is known
};

enum class OrderedAction : std::uint8_t { Alloc, Free, Read, Write, Launch };

/// One side of a conflict.
struct OrderedSide {
    OrderedAction action = OrderedAction::Read;
    std::string_view call;  ///< driver call; of a launch the kernel's name as the driver has it, where known
    std::int64_t kernelId = 0;
    StreamId streamId;            ///< none for a call of the host
    std::string_view streamName;  ///< "stream 7", "the default stream"; empty without a stream
    ProcessId processId;
    std::string_view processName;  ///< "pid 4711" where the two sides are of two processes, else empty
    ThreadId threadId;
    StackId stackId;
    std::int64_t enterNs = 0;
};

/// One fault: the first two calls that showed it, and how often the like happened.
struct OrderingConflict {
    ConflictKind kind = ConflictKind::Access;
    ProcessId processId;  ///< the buffer's
    BufferId bufferId;    ///< of two that are one memory, the exporter's
    OrderedSide earlier;  ///< the call that was made first
    OrderedSide later;
    std::int64_t offset = 0;     ///< first byte that both touch, from the start of the buffer
    std::int64_t sizeBytes = 0;  ///< bytes that both touch; 0 where that is not known
    std::int64_t count = 1;
    std::vector<BufferId> buffers;  ///< the first of them, at most kMostConflictBuffers
    BufferId reusedBy;  ///< the buffer that came next at the address of one that was freed too early
    bool restsOnArgument = false;  ///< a kernel was given the pointer and may not have used it
    bool isSeenOfKernel = false;   ///< a kernel was seen to touch the memory after its end
    bool isContended = false;      ///< threads met on a stream, so that the order of calls is not sure
    bool wasRefused = false;       ///< the driver refused the later call
    bool mayBeToldUnseen = false;  ///< of two processes, one may have told the other what no record shows

    /// Both sides are known to have touched the bytes, and no order of the calls makes it right.
    bool isCertain() const { return !restsOnArgument && !isContended && !mayBeToldUnseen; }
    bool isAcrossProcesses() const { return !(earlier.processId == later.processId); }
};
inline constexpr std::size_t kMostConflictBuffers = 64;

/// What the happens-before model found in a capture.
struct Ordering {
    bool isJudged = false;  ///< false when records that it needs are missing; then there are no conflicts
    std::string whyNot;     ///< a sentence, when it was not judged
    bool waitsAreWhole =
        false;  ///< false for formats before 4, which lack some kinds of wait: then nothing is sure
    std::vector<OrderingConflict> conflicts;  ///< by the time of the first
    std::int64_t forgottenCount = 0;          ///< buffers whose history grew too large to keep
};

}  // namespace vramscope::model
