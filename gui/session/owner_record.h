// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_set>
#include <vector>

#include "formats/status.h"
#include "gui/session/analysis.h"
#include "gui/session/selection.h"

namespace vramscope::gui {

/// Bytes of a buffer that one task owned for a time.
struct OwnedSpan {
    model::BufferId buffer;
    std::int64_t offset = 0;
    std::int64_t sizeBytes = 0;
    TimeRange time;
    model::TaskId task;   ///< none: nobody, the bytes are a heap's
    bool isHeap = false;  ///< handed out to no task
};

/// Something that was done to bytes of a buffer, or said of them.
struct OwnerMark {
    enum class Kind {
        Name,       ///< is called `what` during `time`
        Give,       ///< changes hands at `time.fromNs`
        LendRead,   ///< may be read by `task` during `time`
        LendWrite,  ///< may be written by `task`, too
        Read,
        Write,
        Pointer,    ///< a kernel was given a pointer; what it did there is not known
        Overwrite,  ///< `task` wrote what another owns
        AfterFree,  ///< used at the end of `time`, freed at its beginning
        GuardHit,   ///< bytes behind the buffer changed during `time`
    };
    Kind kind = Kind::Read;
    model::BufferId buffer;
    model::BufferId
        through;  ///< Overwrite: the other mapping that was written through; none: the buffer itself
    std::int64_t offset = 0;
    std::int64_t sizeBytes = 0;
    TimeRange time;
    model::TaskId task;  ///< who did it, gets it or may; none: every task, or nobody known
    std::string what;    ///< the call or the kernel
    std::int64_t callCount = 1;
    model::StackId stack;
};

/// Who owned, lent and touched the bytes of some buffers. Plain values.
struct OwnerRecord {
    std::vector<OwnedSpan> spans;  ///< only of buffers that anything was said of
    std::vector<OwnerMark> marks;  ///< by buffer, then time
    bool isWhole = true;           ///< false when accesses were too many to read
};

using BufferSet = std::unordered_set<std::int64_t>;

/// Most marks that are read for one picture.
inline constexpr std::size_t kMostOwnerMarks = 200'000;

/// Reads it for these buffers. `analysis` must hold its capture. Unreadable as the capture's file; Incomplete
/// when cancelled.
StatusOr<OwnerRecord> ownerRecordOf(const Analysis& analysis, const BufferSet& buffers, std::int64_t endNs,
                                    const Cancel& cancel);

/// Other buffers that are the same physical memory: mappings of one handle, and imports of another process's
/// buffer.
std::vector<model::BufferId> aliasesOf(const model::Capture& capture, model::BufferId buffer);

}  // namespace vramscope::gui
