// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "collector/recorder/process_scope.h"

namespace vramscope::collector {

/// Rows of `phases` of one process: NVTX ranges and marks. A pop closes the range of its own level, so a push
/// or pop that was lost on a full ring spoils its own range and no other.
class PhaseTable {
public:
    explicit PhaseTable(ProcessScope& scope) : m_scope(scope) {}

    void add(const ResolvedCall& call);

    /// Takes over the ranges that an interrupted recording left open.
    Status restore(formats::Connection& capture);

private:
    struct OpenRange {
        std::int64_t phaseId;
        std::int64_t level;  ///< -1 when not tracked
    };
    using OpenRanges = std::vector<OpenRange>;  ///< innermost last

    void push(const ResolvedCall& call);
    void pop(const ResolvedCall& call);
    /// Closes what is open at `level` or deeper: a later record shows that it ended, in a way nobody saw.
    void closeLost(OpenRanges& open, std::int64_t level, std::uint64_t timeTicks);
    std::int64_t insert(const ResolvedCall& call, const char* kind, std::optional<std::int64_t> level = {});
    void insertLost(const ResolvedCall& call, std::int64_t level);
    void close(std::int64_t phaseId, std::uint64_t timeTicks);

    ProcessScope& m_scope;
    std::unordered_map<std::int64_t, std::unordered_map<std::uint64_t, OpenRanges>>
        m_open;                                                 ///< push/pop ranges, by thread and domain
    std::unordered_map<std::uint64_t, std::int64_t> m_started;  ///< start/end ranges, by the id the job got
};

}  // namespace vramscope::collector
