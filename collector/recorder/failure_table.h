// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "collector/recorder/process_scope.h"

namespace vramscope::collector {

/// Rows of `failed_calls`. A call that fails the same way from the same stack about the same address again
/// and again is one row with a count: a framework may probe in a loop.
class FailureTable {
public:
    explicit FailureTable(ProcessScope& scope) : m_scope(scope) {}

    /// A record of a failed call, of whatever type. A call that wrote several records, as a batch of copies
    /// does, is counted once.
    void add(const ResolvedCall& call);
    /// An Ownership record of a request that a heap of the program could not serve.
    void addHeapRequest(const ResolvedCall& call);

private:
    struct Subject;
    static Subject subjectOf(const formats::Record& record);
    bool isToldBefore(const ResolvedCall& call);
    void insert(const ResolvedCall& call, const Subject& subject, std::int64_t id);
    bool isCountedWithTheLike(std::uint16_t api, std::uint16_t result, const ResolvedCall& call,
                              const Subject& subject, std::int64_t& newId);

    struct Told {
        std::uint16_t api;
        std::uint64_t enterTicks;
    };
    using Key = std::tuple<std::uint16_t, std::uint16_t, std::int64_t, std::uint64_t>;
    ProcessScope& m_scope;
    std::map<Key, std::int64_t> m_rows;
    std::unordered_map<std::int64_t, Told> m_lastOfThread;
};

}  // namespace vramscope::collector
