// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "collector/recorder/process_scope.h"

namespace vramscope::collector {

/// Rows of `job_exceptions` of one process. The same exception from the same line again and again is one row
/// with a count: a program that embeds Python may print errors in a loop.
class ExceptionTable {
public:
    explicit ExceptionTable(ProcessScope& scope) : m_scope(scope) {}

    void add(const ResolvedCall& call);

private:
    using Key = std::tuple<std::string, std::uint64_t, std::uint64_t>;  // texts, both lines
    ProcessScope& m_scope;
    std::map<Key, std::int64_t> m_rows;
};

}  // namespace vramscope::collector
