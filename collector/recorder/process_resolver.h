// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "collector/recorder/event_resolver.h"
#include "collector/recorder/exact_table.h"
#include "collector/recorder/exception_table.h"
#include "collector/recorder/failure_table.h"
#include "collector/recorder/gpu_module_table.h"
#include "collector/recorder/graph_table.h"
#include "collector/recorder/identity_tables.h"
#include "collector/recorder/memory_resolver.h"
#include "collector/recorder/object_table.h"
#include "collector/recorder/ownership_table.h"
#include "collector/recorder/phase_table.h"
#include "collector/recorder/pool_table.h"
#include "collector/recorder/primary_context_table.h"
#include "collector/recorder/process_scope.h"
#include "collector/recorder/share_table.h"
#include "collector/recorder/stack_rows.h"
#include "collector/recorder/task_resolver.h"
#include "collector/recorder/vmm_resolver.h"

namespace vramscope::collector {

/// Turns the ordered records of one process into rows: the table of contents of resolving. Records must come
/// in the order of effectiveTime(), as well as that can be known.
class ProcessResolver {
public:
    ProcessResolver(CaptureSink& sink, DeviceTable& devices, ArenaView& arena, std::int64_t processId,
                    std::int64_t taskId);

    /// `threadId` as threadStarted() gave it for the record's lane, 0 when unknown.
    void resolve(const formats::Record& record, std::uint8_t slotCount, std::int64_t threadId);

    std::int64_t threadStarted(const formats::Record& record);
    void threadEnded(std::int64_t threadId, std::uint64_t timeTicks) {
        m_tasks.threadEnded(threadId, timeTicks);
        m_identities.threadEnded(threadId, timeTicks);
    }

    /// Lets file descriptors that cross between processes be compared; `pid` is the process's number here.
    void useDescriptors(DescriptorTable& descriptors, std::uint32_t pid) {
        m_scope.descriptors = &descriptors;
        m_scope.pid = pid;
    }

    std::int64_t threadOf(std::uint32_t tid) const { return m_identities.threadOf(tid); }

    /// Takes over what an interrupted recording wrote for this process. Before the first record.
    Status restore(formats::Connection& capture);

    /// Nothing before `timeTicks` will be referred to any more.
    void forgetBefore(std::uint64_t timeTicks) { m_memory.addresses().forgetDeadBefore(timeTicks); }

    /// As AddressSpace::forgottenEarly().
    std::uint64_t forgottenEarly() { return m_memory.addresses().forgottenEarly(); }

    /// The process is gone: everything that lived in it ended at `timeTicks`.
    void processEnded(std::uint64_t timeTicks);

    /// Writes how many records of each type were resolved.
    void writeCounts();

private:
    void resolveMemory(const ResolvedCall& call);
    void resolveOther(const ResolvedCall& call);
    void resolveGraph(const ResolvedCall& call);
    void free(const ResolvedCall& call);
    void launch(const ResolvedCall& call);
    void objectDestroyed(const ResolvedCall& call);
    void contextCreated(const ResolvedCall& call);
    void contextDestroyed(const ResolvedCall& call);
    void streamCreated(const ResolvedCall& call);
    void streamDestroyed(const ResolvedCall& call);

    ProcessScope m_scope;
    TaskResolver m_tasks;
    IdentityTables m_identities;
    StackRows m_stacks;
    FailureTable m_failures;
    PoolTable m_pools;
    MemoryResolver m_memory;
    VmmResolver m_vmm;
    ObjectTable m_objects;
    PrimaryContextTable m_primaryContexts;
    GpuModuleTable m_gpuModules;
    EventResolver m_events;
    GraphTable m_graphs;
    ShareTable m_shares;
    OwnershipTable m_ownership;
    PhaseTable m_phases;
    ExactTable m_exact;
    ExceptionTable m_exceptions;
    std::array<std::uint64_t, static_cast<std::size_t>(formats::RecordType::Count)> m_counts{};
};

}  // namespace vramscope::collector
