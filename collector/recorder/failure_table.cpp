// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/failure_table.h"

#include <string>

#include "collector/api_names/api_names.h"
#include "collector/recorder/or_null.h"

namespace vramscope::collector {

using api_names::callName;
using api_names::cudaResultName;
using api_names::runtimeErrorName;
using formats::RecordType;

namespace {

// A job that fails in ever new ways must not grow the recorder without end; later failures then get rows of
// their own.
constexpr std::size_t kMaxKnownFailures = 100'000;

/// Stands for the marks of annotate.h among the numbers of calls.
constexpr std::uint16_t kHeapRequest = 0xFFFF;

std::string errorName(const formats::RecordHeader& header) {
    return (header.api & formats::kRuntimeApi) != 0 ? std::string(runtimeErrorName(header.result))
                                                    : std::string(cudaResultName(header.result));
}

}  // namespace

/// What a call was about, as far as its record says.
struct FailureTable::Subject {
    const char* family;
    std::optional<std::uint64_t> sizeBytes;
    std::optional<std::uint64_t> address;
};

FailureTable::Subject FailureTable::subjectOf(const formats::Record& record) {
    const auto alloc = [](std::uint64_t sizeBytes) { return Subject{"alloc", sizeBytes, {}}; };
    const auto free = [](std::uint64_t address) { return Subject{"free", {}, address}; };
    switch (static_cast<RecordType>(record.header.type)) {
        case RecordType::Alloc:
            return alloc(record.alloc.sizeBytes);
        case RecordType::VmmReserve:
            return alloc(record.vmmRange.sizeBytes);
        case RecordType::VmmCreate:
            return alloc(record.vmmHandle.sizeBytes);
        case RecordType::Free:
            return free(record.free.address);
        case RecordType::VmmAddressFree:
        case RecordType::VmmUnmap:
            return free(record.vmmRange.address);
        case RecordType::VmmRelease:
            return free(record.vmmHandle.handle);
        case RecordType::ObjectDestroy:
            return free(record.object.handle);
        case RecordType::StreamDestroy:
            return free(record.stream.stream);
        case RecordType::PoolDestroy:
            return free(record.pool.pool);
        default:
            return {"other", {}, {}};
    }
}

bool FailureTable::isToldBefore(const ResolvedCall& call) {
    const formats::RecordHeader& header = call.header();
    const auto [last, isFirst] =
        m_lastOfThread.try_emplace(call.threadId, Told{header.api, header.enterTicks});
    if (isFirst) return false;
    const bool isSame = last->second.api == header.api && last->second.enterTicks == header.enterTicks;
    last->second = {header.api, header.enterTicks};
    return isSame;
}

void FailureTable::add(const ResolvedCall& call) {
    if (isToldBefore(call)) return;
    const formats::RecordHeader& header = call.header();
    const Subject subject = subjectOf(call.record);
    std::int64_t id = 0;
    if (!isCountedWithTheLike(header.api, header.result, call, subject, id)) insert(call, subject, id);
}

bool FailureTable::isCountedWithTheLike(std::uint16_t api, std::uint16_t result, const ResolvedCall& call,
                                        const Subject& subject, std::int64_t& newId) {
    const Key key{api, result, call.stackId, subject.sizeBytes.value_or(0) ^ subject.address.value_or(0)};
    if (const auto known = m_rows.find(key); known != m_rows.end()) {
        m_scope.sink.run("UPDATE failed_calls SET repeat_count = repeat_count + 1 WHERE failed_call_id = ?",
                         known->second);
        return true;
    }
    newId = m_scope.sink.nextId("failed_calls");
    if (m_rows.size() < kMaxKnownFailures) m_rows.emplace(key, newId);
    return false;
}

void FailureTable::addHeapRequest(const ResolvedCall& call) {
    const formats::TextPayload& mark = call.record.text;
    const Subject subject{"heap", mark.extra, mark.handle};
    std::int64_t id = 0;
    if (isCountedWithTheLike(kHeapRequest, 0, call, subject, id)) return;
    const std::int64_t timeNs = m_scope.sink.sessionTime(call.header().enterTicks);
    m_scope.sink.run(
        "INSERT INTO failed_calls(failed_call_id, process_id, thread_id, enter_ns, exit_ns, api, family, "
        "error, error_name, size_bytes, address, stack_id, repeat_count) "
        "VALUES(?,?,?,?,?,'vramscope_heap_failed',?,0,'',?,?,?,1)",
        id, m_scope.processId, call.threadId, timeNs, timeNs, subject.family, subject.sizeBytes,
        subject.address, orNull(call.stackId));
}

void FailureTable::insert(const ResolvedCall& call, const Subject& subject, std::int64_t id) {
    const formats::RecordHeader& header = call.header();
    m_scope.sink.run(
        "INSERT INTO failed_calls(failed_call_id, process_id, thread_id, enter_ns, exit_ns, api, family, "
        "error, error_name, size_bytes, address, context_id, stack_id, repeat_count) "
        "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,1)",
        id, m_scope.processId, call.threadId, m_scope.sink.sessionTime(header.enterTicks),
        m_scope.sink.sessionTime(header.exitTicks), callName(header.api), subject.family, header.result,
        errorName(header), subject.sizeBytes, subject.address, orNull(call.contextId), orNull(call.stackId));
}

}  // namespace vramscope::collector
