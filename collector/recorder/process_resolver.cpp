// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/process_resolver.h"

#include <cstring>

#include "collector/recorder/digest_changes.h"
#include "collector/recorder/guard_hits.h"
#include "collector/recorder/record_names.h"

namespace vramscope::collector {

using formats::RecordType;

namespace {

bool isEvent(RecordType type) {
    return type == RecordType::Launch || type == RecordType::Copy || type == RecordType::Set ||
           type == RecordType::StreamWrite || type == RecordType::Sync;
}

// The call defined a graph node: nothing ran, and nothing was allocated or freed.
bool isCaptured(const formats::Record& record) {
    switch (static_cast<RecordType>(record.header.type)) {
        case RecordType::Launch:
            return (record.header.detail & formats::kLaunchCaptured) != 0;
        case RecordType::Copy:
        case RecordType::Set:
        case RecordType::StreamWrite:
            return (record.header.detail & formats::kCopyCaptured) != 0;
        case RecordType::Alloc:
            return record.header.detail == static_cast<std::uint8_t>(formats::BufferKind::Graph);
        case RecordType::Free:
            return record.free.isCaptured != 0;
        default:
            return false;
    }
}

}  // namespace

ProcessResolver::ProcessResolver(CaptureSink& sink, DeviceTable& devices, ArenaView& arena,
                                 std::int64_t processId, std::int64_t taskId)
    : m_scope{sink, devices, arena, processId, taskId},
      m_tasks(m_scope),
      m_identities(m_scope),
      m_stacks(m_scope),
      m_failures(m_scope),
      m_pools(m_scope, m_identities),
      m_memory(m_scope, m_identities, m_pools),
      m_vmm(m_scope, m_identities, m_memory),
      m_objects(m_scope),
      m_primaryContexts(m_scope, m_identities, m_objects),
      m_gpuModules(m_scope, m_stacks),
      m_events(m_scope, m_identities, m_memory.addresses(), m_objects),
      m_graphs(m_scope, m_identities, m_memory, m_objects, m_events),
      m_shares(m_scope, m_identities, m_memory, m_objects, m_vmm, m_pools),
      m_ownership(m_scope, m_memory.addresses(), m_tasks),
      m_phases(m_scope),
      m_exact(m_scope, m_memory.addresses()),
      m_exceptions(m_scope) {
    m_scope.tasks = &m_tasks;
}

void ProcessResolver::resolve(const formats::Record& record, std::uint8_t slotCount, std::int64_t threadId) {
    const formats::RecordHeader& header = record.header;
    // Read once: the job could change it between the check and the use.
    const std::size_t type = header.type;
    if (type >= m_counts.size()) return;
    ++m_counts[type];
    const ResolvedCall call{record, slotCount, threadId,
                            header.stackId != 0 ? m_stacks.stackOf(header.stackId) : 0,
                            m_identities.contextOf(header.contextUid)};
    // Here, so that no table can leave a failure out. Only events go on: they keep what was tried.
    if (formats::isFailure(header.result)) {
        m_failures.add(call);
        const bool endsCapture = static_cast<RecordType>(type) == RecordType::GraphCall;
        if (!isEvent(static_cast<RecordType>(type)) && !endsCapture) return;
    }
    if (isCaptured(record)) return m_graphs.captured(call);
    switch (static_cast<RecordType>(type)) {
        // The frequent ones first.
        case RecordType::Launch:
            return launch(call);
        case RecordType::Copy:
            return m_events.copy(call);
        case RecordType::Set:
        case RecordType::StreamWrite:
            return m_events.set(call);
        case RecordType::Sync:
            return m_events.sync(call);
        case RecordType::Alloc:
            return m_memory.alloc(call);
        case RecordType::Free:
            return free(call);
        default:
            resolveMemory(call);
            resolveGraph(call);
            resolveOther(call);
    }
}

void ProcessResolver::resolveMemory(const ResolvedCall& call) {
    switch (static_cast<RecordType>(call.header().type)) {
        case RecordType::VmmReserve:
            return m_vmm.reserve(call);
        case RecordType::VmmAddressFree:
            return m_vmm.addressFree(call);
        case RecordType::VmmCreate:
            return m_vmm.create(call);
        case RecordType::VmmRelease:
            return m_vmm.release(call);
        case RecordType::VmmRetain:
            return m_vmm.retain(call);
        case RecordType::VmmMap:
            return m_vmm.map(call);
        case RecordType::VmmUnmap:
            return m_vmm.unmap(call);
        case RecordType::VmmSetAccess:
            return m_vmm.setAccess(call);
        case RecordType::PoolCreate:
            return m_pools.create(call);
        case RecordType::PoolDestroy:
            return m_pools.destroy(call);
        case RecordType::PoolAttribute:
            return m_pools.attribute(call);
        case RecordType::PoolDefault:
            return m_pools.deviceDefault(call);
        case RecordType::PoolSample:
            return m_pools.sample(call);
        case RecordType::PoolTrim:
            return m_pools.trim(call);
        case RecordType::ModuleGlobal:
            return m_memory.moduleGlobal(call);
        default:
            return;
    }
}

void ProcessResolver::resolveGraph(const ResolvedCall& call) {
    switch (static_cast<RecordType>(call.header().type)) {
        case RecordType::ObjectCreate: {
            const bool isNew = m_objects.create(call);
            return m_graphs.objectCreated(call, !isNew);
        }
        case RecordType::ObjectDestroy:
            return objectDestroyed(call);
        case RecordType::GraphCall:
            return m_graphs.graphCall(call);
        case RecordType::GraphNode:
            return m_graphs.node(call);
        case RecordType::GraphMemorySample:
            return m_graphs.memorySample(call);
        case RecordType::Share:
            return m_shares.share(call);
        case RecordType::PeerAccess:
            return m_shares.peerAccess(call);
        default:
            return;
    }
}

void ProcessResolver::free(const ResolvedCall& call) {
    m_shares.closing(call, call.record.free.address);
    m_memory.free(call);
}

void ProcessResolver::launch(const ResolvedCall& call) {
    m_exact.launched(call, m_events.launch(call));
    if ((call.header().detail & formats::kLaunchGraph) != 0) m_graphs.launched(call);
}

void ProcessResolver::objectDestroyed(const ResolvedCall& call) {
    if (call.header().detail == static_cast<std::uint8_t>(formats::ObjectKind::Event))
        m_shares.eventDestroyed(call, m_objects.eventOf(call.record.object.handle));
    m_graphs.objectDestroyed(call);
    m_objects.destroy(call);
}

void ProcessResolver::resolveOther(const ResolvedCall& call) {
    switch (static_cast<RecordType>(call.header().type)) {
        case RecordType::ContextCreate:
            return contextCreated(call);
        case RecordType::ContextDestroy:
            return contextDestroyed(call);
        case RecordType::PrimaryContext:
            return m_primaryContexts.called(call);
        case RecordType::GpuModule:
            m_memory.moduleChanged(call);
            return m_gpuModules.add(call);
        case RecordType::StreamCreate:
            return streamCreated(call);
        case RecordType::StreamDestroy:
            return streamDestroyed(call);
        case RecordType::KernelName:
            return m_events.kernelName(call);
        case RecordType::Phase:
            m_tasks.addPhase(call);
            return m_phases.add(call);
        case RecordType::Task:
            return m_tasks.add(call);
        case RecordType::Ownership: {
            const auto event = static_cast<formats::OwnershipEvent>(call.header().detail);
            if (event == formats::OwnershipEvent::HeapFailed) return m_failures.addHeapRequest(call);
            return m_ownership.add(call);
        }
        case RecordType::Name:
            return m_identities.nameThing(call);
        case RecordType::Device:
            return m_identities.addDevice(call);
        case RecordType::HostModule:
            return m_stacks.addModule(call.record.hostModule, call.text(call.record.hostModule.textBytes));
        case RecordType::JobException:
            return m_exceptions.add(call);
        case RecordType::GuardHit:
            return addGuardHit(m_scope, m_identities, call);
        case RecordType::DigestChange:
            return addDigestChange(m_scope, m_identities, call);
        case RecordType::ExactLaunch:
            return m_exact.announced(call);
        case RecordType::ExactAccess:
            return m_exact.accessed(call);
        case RecordType::ExactCode:
            return m_exact.addFunction(call);
        default:
            return;
    }
}

std::int64_t ProcessResolver::threadStarted(const formats::Record& record) {
    ++m_counts[static_cast<std::size_t>(RecordType::ThreadStart)];
    const formats::ThreadPayload& payload = record.thread;
    const std::string name(payload.name, ::strnlen(payload.name, sizeof(payload.name)));
    const std::int64_t threadId =
        m_identities.threadStarted(static_cast<std::uint32_t>(payload.tid), name, record.header.enterTicks);
    m_tasks.threadStarted(threadId, payload.tid, name, record.header.enterTicks);
    return threadId;
}

void ProcessResolver::streamCreated(const ResolvedCall& call) {
    m_identities.createStream(call);
    m_objects.streamCreated(call);
}

void ProcessResolver::streamDestroyed(const ResolvedCall& call) {
    m_identities.destroyStream(call);
    m_objects.streamDestroyed(call);
}

void ProcessResolver::contextCreated(const ResolvedCall& call) {
    m_identities.createContext(call);
    m_primaryContexts.contextStarted(call, m_identities.contextOf(call.header().contextUid));
}

void ProcessResolver::contextDestroyed(const ResolvedCall& call) {
    const std::int64_t context = m_identities.destroyContext(call);
    if (context == 0) return;
    // What the runtime tears down after exit() is the end of the process, not something the job did.
    const std::uint64_t exitTicks = m_scope.arena.header().exitTicks.load(std::memory_order_acquire);
    const bool isExit = exitTicks != 0 && call.header().enterTicks >= exitTicks;
    m_memory.contextDestroyed(context, call, isExit);
    const char* endKind = isExit ? "process-ended" : "context-destroyed";
    m_objects.endAll(context, call.header().enterTicks, endKind);
    m_primaryContexts.contextEnded(context, call.header().enterTicks, endKind);
    m_gpuModules.contextEnded(context, call.header().enterTicks);
}

Status ProcessResolver::restore(formats::Connection& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(m_identities.restore(capture));
    VRAMSCOPE_RETURN_IF_ERROR(m_stacks.restore(capture));
    VRAMSCOPE_RETURN_IF_ERROR(m_pools.restore(capture));
    VRAMSCOPE_RETURN_IF_ERROR(m_memory.restore(capture));
    VRAMSCOPE_RETURN_IF_ERROR(m_vmm.restore(capture));
    VRAMSCOPE_RETURN_IF_ERROR(m_objects.restore(capture));
    VRAMSCOPE_RETURN_IF_ERROR(m_primaryContexts.restore(capture));
    VRAMSCOPE_RETURN_IF_ERROR(m_gpuModules.restore(capture));
    VRAMSCOPE_RETURN_IF_ERROR(m_phases.restore(capture));
    VRAMSCOPE_RETURN_IF_ERROR(m_shares.restore(capture));
    VRAMSCOPE_RETURN_IF_ERROR(m_tasks.restore(capture));
    VRAMSCOPE_RETURN_IF_ERROR(m_ownership.restore(capture));
    return m_events.restore(capture);
}

void ProcessResolver::processEnded(std::uint64_t timeTicks) {
    m_memory.processEnded(timeTicks);
    m_objects.endAll(0, timeTicks, "process-ended");
    m_primaryContexts.contextEnded(0, timeTicks, "process-ended");
}

void ProcessResolver::writeCounts() {
    for (std::size_t type = 0; type < m_counts.size(); ++type) {
        if (m_counts[type] == 0) continue;
        m_scope.sink.run(
            "INSERT INTO event_counts(process_id, type, event_count) VALUES(?, ?, ?) "
            "ON CONFLICT DO UPDATE SET event_count = event_count + excluded.event_count",
            m_scope.processId, recordTypeName(static_cast<RecordType>(type)), m_counts[type]);
    }
    m_counts.fill(0);
}

}  // namespace vramscope::collector
