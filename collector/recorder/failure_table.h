// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "collector/recorder/process_scope.h"

namespace vramscope::collector {

/// Rows of `failed_calls`. A call that fails the same way from the same stack about the same address again
/// and again is one row with a count: a framework may probe in a loop.
class FailureTable {
public:
    explicit FailureTable(ProcessScope& scope) : m_scope(scope) {}

    void allocFailed(const ResolvedCall& call, std::uint64_t sizeBytes);
    void freeRefused(const ResolvedCall& call, std::uint64_t address);
    void otherFailed(const ResolvedCall& call);

private:
    void add(const ResolvedCall& call, const char* family, std::optional<std::uint64_t> sizeBytes,
             std::optional<std::uint64_t> address);

    using Key = std::tuple<std::uint16_t, std::uint16_t, std::int64_t, std::uint64_t>;
    ProcessScope& m_scope;
    std::map<Key, std::int64_t> m_rows;
};

}  // namespace vramscope::collector
