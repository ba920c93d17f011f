// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/gpu_module_table.h"

#include <optional>
#include <string_view>

#include "collector/api_names/api_names.h"
#include "collector/recorder/or_null.h"
#include "collector/recorder/restored_rows.h"

namespace vramscope::collector {

using formats::GpuModuleEvent;

namespace {

// Code that comes in at first use has no loading call: a thread that only ever does that must not collect
// candidates without end.
constexpr std::size_t kMostFresh = 64;

}  // namespace

void GpuModuleTable::add(const ResolvedCall& call) {
    switch (static_cast<GpuModuleEvent>(call.header().detail)) {
        case GpuModuleEvent::Load:
            return load(call);
        case GpuModuleEvent::Unload:
            return unload(call);
        case GpuModuleEvent::Source:
            return source(call);
        case GpuModuleEvent::UnloadCall:
            return;  // its module comes as Unload, by CUPTI's number
    }
}

void GpuModuleTable::load(const ResolvedCall& call) {
    const formats::ModulePayload& payload = call.record.module;
    const std::int64_t id = m_scope.sink.nextId("gpu_modules");
    m_rows[{call.contextId, payload.module}] = id;
    m_scope.sink.run(
        "INSERT INTO gpu_modules(gpu_module_id, process_id, context_id, cupti_module_id, name, size_bytes, "
        "load_ns, load_thread_id, load_stack_id, needed_by) VALUES(?,?,?,?,?,?,?,?,?,?)",
        id, m_scope.processId, orNull(call.contextId), payload.module,
        orNull(m_programFiles.fileAt(payload.address)),
        payload.sizeBytes != 0 ? std::optional(payload.sizeBytes) : std::nullopt,
        m_scope.sink.sessionTime(call.header().exitTicks), orNull(call.threadId), orNull(call.stackId),
        orNull(m_programFiles.callerOf(call.header().stackId)));
    std::vector<Fresh>& fresh = m_fresh[call.threadId];
    if (fresh.size() >= kMostFresh) fresh.clear();
    fresh.push_back({id, call.header().exitTicks});
}

void GpuModuleTable::unload(const ResolvedCall& call) {
    const auto found = m_rows.find({call.contextId, call.record.module.module});
    if (found == m_rows.end()) return;
    m_scope.sink.run("UPDATE gpu_modules SET unload_ns=? WHERE gpu_module_id=?",
                     m_scope.sink.sessionTime(call.header().enterTicks), found->second);
    m_rows.erase(found);
}

void GpuModuleTable::source(const ResolvedCall& call) {
    const auto fresh = m_fresh.find(call.threadId);
    if (fresh == m_fresh.end()) return;
    const formats::ModulePayload& payload = call.record.module;
    std::string_view name = call.text(payload.textBytes);
    if (name.empty()) name = m_programFiles.fileAt(payload.address);
    for (const Fresh& module : fresh->second) {
        if (module.loadTicks < call.header().enterTicks) continue;
        m_scope.sink.run("UPDATE gpu_modules SET name=coalesce(?, name), load_api=? WHERE gpu_module_id=?",
                         orNull(name), api_names::callName(call.header().api), module.rowId);
    }
    fresh->second.clear();
}

void GpuModuleTable::contextEnded(std::int64_t contextId, std::uint64_t timeTicks) {
    m_scope.sink.run("UPDATE gpu_modules SET unload_ns=? WHERE context_id=? AND unload_ns IS NULL",
                     m_scope.sink.sessionTime(timeTicks), contextId);
    std::erase_if(m_rows, [contextId](const auto& entry) { return entry.first.first == contextId; });
}

Status GpuModuleTable::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement modules,
        capture.prepare("SELECT gpu_module_id, context_id, cupti_module_id FROM gpu_modules WHERE "
                        "process_id=? AND unload_ns IS NULL"));
    return forEachRow(modules, m_scope.processId, [this](const formats::Statement& row) {
        m_rows[{row.columnInt(1), row.columnAddress(2)}] = row.columnInt(0);
    });
}

}  // namespace vramscope::collector
