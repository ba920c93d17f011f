// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/failure_table.h"

#include "collector/api_names/api_names.h"

namespace vramscope::collector {

using api_names::callName;
using api_names::cudaResultName;
using api_names::runtimeErrorName;

namespace {

// A job that fails in ever new ways must not grow the recorder without end; later failures then get rows of
// their own.
constexpr std::size_t kMaxKnownFailures = 100'000;

std::string errorName(const formats::RecordHeader& header) {
    return (header.api & formats::kRuntimeApi) != 0 ? std::string(runtimeErrorName(header.result))
                                                    : std::string(cudaResultName(header.result));
}

}  // namespace

void FailureTable::allocFailed(const ResolvedCall& call, std::uint64_t sizeBytes) {
    add(call, "alloc", sizeBytes, {});
}
void FailureTable::freeRefused(const ResolvedCall& call, std::uint64_t address) {
    add(call, "free", {}, address);
}
void FailureTable::otherFailed(const ResolvedCall& call) {
    add(call, "other", {}, {});
}

void FailureTable::add(const ResolvedCall& call, const char* family, std::optional<std::uint64_t> sizeBytes,
                       std::optional<std::uint64_t> address) {
    const formats::RecordHeader& header = call.header();
    const Key key{header.api, header.result, call.stackId, sizeBytes.value_or(0) ^ address.value_or(0)};
    const auto known = m_rows.find(key);
    if (known != m_rows.end()) {
        m_scope.sink.run("UPDATE failed_calls SET repeat_count = repeat_count + 1 WHERE failed_call_id = ?",
                         known->second);
        return;
    }
    const std::int64_t id = m_scope.sink.nextId("failed_calls");
    m_scope.sink.run(
        "INSERT INTO failed_calls(failed_call_id, process_id, thread_id, enter_ns, exit_ns, api, family, "
        "error, error_name, "
        "size_bytes, address, context_id, stack_id, repeat_count) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,1)",
        id, m_scope.processId, call.threadId, m_scope.sink.sessionTime(header.enterTicks),
        m_scope.sink.sessionTime(header.exitTicks), callName(header.api), family, header.result,
        errorName(header), sizeBytes, address,
        call.contextId != 0 ? std::optional(call.contextId) : std::nullopt,
        call.stackId != 0 ? std::optional(call.stackId) : std::nullopt);
    if (m_rows.size() < kMaxKnownFailures) m_rows.emplace(key, id);
}

}  // namespace vramscope::collector
