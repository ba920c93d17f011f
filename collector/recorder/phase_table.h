// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "collector/recorder/process_scope.h"

namespace vramscope::collector {

/// Rows of `phases` of one process: NVTX ranges and marks.
class PhaseTable {
public:
    explicit PhaseTable(ProcessScope& scope) : m_scope(scope) {}

    void add(const ResolvedCall& call);

private:
    std::int64_t insert(const ResolvedCall& call, const char* kind);
    void close(std::int64_t phaseId, std::uint64_t timeTicks);

    ProcessScope& m_scope;
    /// Open push/pop ranges, by thread and domain, innermost last.
    std::unordered_map<std::int64_t, std::unordered_map<std::uint64_t, std::vector<std::int64_t>>> m_open;
    std::unordered_map<std::uint64_t, std::int64_t> m_started;  ///< start/end ranges, by the id the job got
};

}  // namespace vramscope::collector
