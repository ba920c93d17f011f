// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/collector.h"
#include "collector/inject/nvtx_abi.h"
#include "collector/inject/nvtx_message.h"
#include "collector/inject/nvtx_names.h"
#include "collector/inject/nvtx_records.h"
#include "collector/inject/task_marks.h"

// What ranges and marks do, whatever form the job gave their message in. `domain` null is the default domain.
// All of it works before recording starts, too: levels and ids go on, and nothing is recorded.

namespace vramscope::collector::nvtx {

/// Level of the range that the calling thread opens in `domain`, 0 the outermost; kNoTracking in the 32nd
/// domain and later ones.
int enterLevel(const Name* domain);
/// Level of the range that it closes; -1 when none is open.
int leaveLevel(const Name* domain);
/// Remembers whether the push that opened `level` was lost, for takeLostPush() at its pop. Levels beyond the
/// 32nd are not remembered: what the recorder cannot tell of them is a range without a name.
void notePush(const Name* domain, int level, bool isLost);
bool takeLostPush(const Name* domain, int level);
/// A fresh id for a range that may end on another thread.
RangeId newRangeId();

/// Set in the ids of ranges that are tasks: an end is given nothing else.
inline constexpr RangeId kTaskRange = RangeId{1} << 63;

inline bool isTask(const Name* domain) {
    return domain != nullptr && domain->isTaskDomain != 0;
}

inline std::uint64_t numberOf(const Name* domain) {
    return domain != nullptr ? domain->number : 0;
}

inline std::uint64_t packed(int level) {
    return level >= 0 ? formats::packLevel(static_cast<std::uint32_t>(level)) : 0;
}

template <typename Text>
int push(const Name* domain, Text text) {
    if (isTask(domain)) return tasks::push(Message(text).text());
    const int level = enterLevel(domain);
    const bool isLost = isRecording() && !recordPhase(formats::PhaseKind::Push, numberOf(domain), domain,
                                                      Message(text).text(), packed(level));
    notePush(domain, level, isLost);
    return level;
}

inline int pop(const Name* domain) {
    if (isTask(domain)) return tasks::pop();
    const int level = leaveLevel(domain);
    const bool isLost = takeLostPush(domain, level);
    constexpr int kNoneOpen = -1;
    if (!isRecording() || level == kNoneOpen) return level;
    if (isLost) {
        recordPhase(formats::PhaseKind::Pop, numberOf(domain), domain, "",
                    packed(level) | formats::kPushLost);
    } else {
        recordPhaseEnd(formats::PhaseKind::Pop, numberOf(domain), packed(level));
    }
    return level;
}

template <typename Text>
RangeId start(const Name* domain, Text text) {
    const RangeId id = newRangeId() | (isTask(domain) ? kTaskRange : 0);
    if (isTask(domain)) {
        tasks::start(id, Message(text).text());
        return id;
    }
    if (isRecording()) recordPhase(formats::PhaseKind::Start, id, domain, Message(text).text(), 0);
    return id;
}

inline void end(RangeId id) {
    if ((id & kTaskRange) != 0) return tasks::end(id);
    if (isRecording()) recordPhaseEnd(formats::PhaseKind::End, id, 0);
}

template <typename Text>
void mark(const Name* domain, Text text) {
    if (isRecording())
        recordPhase(formats::PhaseKind::Mark, numberOf(domain), domain, Message(text).text(), 0);
}

}  // namespace vramscope::collector::nvtx
