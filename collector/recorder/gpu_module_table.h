// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/recorder/process_scope.h"
#include "collector/recorder/stack_rows.h"

namespace vramscope::collector {

/// Rows of `gpu_modules` of one process. A module is named by the call that loaded it, whose record comes
/// after those of what it loaded, or by the program file that its image lies in.
class GpuModuleTable {
public:
    GpuModuleTable(ProcessScope& scope, const StackRows& programFiles)
        : m_scope(scope), m_programFiles(programFiles) {}

    /// Any GpuModule record.
    void add(const ResolvedCall& call);
    void contextEnded(std::int64_t contextId, std::uint64_t timeTicks);

    /// Takes over what an interrupted recording wrote for this process.
    Status restore(formats::Connection& capture);

private:
    /// Loaded, and the loading call, if there is one, has not returned yet.
    struct Fresh {
        std::int64_t rowId;
        std::uint64_t loadTicks;
    };

    void load(const ResolvedCall& call);
    void unload(const ResolvedCall& call);
    void source(const ResolvedCall& call);

    ProcessScope& m_scope;
    const StackRows& m_programFiles;
    std::map<std::pair<std::int64_t, std::uint64_t>, std::int64_t> m_rows;  ///< by context and CUPTI's number
    std::unordered_map<std::int64_t, std::vector<Fresh>> m_fresh;           ///< by thread
};

}  // namespace vramscope::collector
