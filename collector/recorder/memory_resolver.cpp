// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/memory_resolver.h"

#include <vector>

#include "collector/api_names/api_names.h"
#include "collector/recorder/restored_rows.h"
#include "collector/recorder/task_resolver.h"

namespace vramscope::collector {

using api_names::callName;

using formats::BufferKind;
using formats::FreeFamily;

namespace {

bool isHostMemory(BufferKind kind) {
    return kind == BufferKind::Pinned || kind == BufferKind::Registered;
}

}  // namespace

BufferPtr MemoryResolver::makeBuffer(const ResolvedCall& call, BufferKind kind, std::uint64_t address,
                                     std::uint64_t sizeBytes) {
    auto buffer = std::make_shared<BufferRow>();
    buffer->bufferId = m_scope.sink.nextId("buffers");
    buffer->processId = m_scope.processId;
    buffer->taskId = m_scope.tasks != nullptr ? m_scope.tasks->taskOf(call) : m_scope.taskId;
    buffer->kind = kind;
    buffer->address = address;
    buffer->sizeBytes = sizeBytes;
    buffer->contextId = call.contextId;
    buffer->deviceId = isHostMemory(kind) ? 0 : m_identities.deviceOfContext(call.contextId);
    buffer->api = callName(call.header().api);
    buffer->allocEnterTicks = call.header().enterTicks;
    buffer->allocTicks = call.header().exitTicks;
    buffer->allocThreadId = call.threadId;
    buffer->allocStackId = call.stackId;
    return buffer;
}

void MemoryResolver::alloc(const ResolvedCall& call) {
    const formats::AllocPayload& payload = call.record.alloc;
    const auto kind = static_cast<BufferKind>(call.header().detail);
    if (payload.address == 0) return;
    if (kind == BufferKind::Ipc) {
        const BufferPtr open = m_addresses.liveAt(payload.address);
        if (open != nullptr && open->kind == BufferKind::Ipc) {
            ++open->openCount;
            return;
        }
    }
    const BufferPtr buffer = makeBuffer(call, kind, payload.address, payload.sizeBytes);
    if (kind == BufferKind::Async) {
        buffer->streamId = m_identities.streamOf(call, payload.stream, call.header().exitTicks);
        if (m_scope.tasks != nullptr) buffer->taskId = m_scope.tasks->taskOf(call, buffer->streamId);
        buffer->poolId = payload.aux != 0 ? m_pools.idOf(payload.aux, call.header().exitTicks) : 0;
    } else {
        buffer->flags = payload.aux;
    }
    adopt(buffer);
}

void MemoryResolver::adopt(const BufferPtr& buffer) {
    if (buffer->kind == BufferKind::Array) {
        if (buffer->generation == 0) buffer->generation = m_arrayGenerations.next(buffer->address);
        m_arrays[buffer->address] = buffer;
    } else {
        if (buffer->generation == 0) buffer->generation = m_addresses.nextGeneration(buffer->address);
        // The driver never hands out memory that is in use: what overlaps ended in a way that no record told.
        for (const BufferPtr& old : m_addresses.insert(buffer)) {
            endRow(*old, buffer->allocEnterTicks, buffer->allocTicks, "replaced");
            m_addresses.retire(old);
            m_scope.sink.markBuffer(old);
        }
    }
    m_scope.sink.markBuffer(buffer);
}

BufferPtr MemoryResolver::findFreed(FreeFamily family, std::uint64_t address) const {
    if (family == FreeFamily::Array) {
        const auto found = m_arrays.find(address);
        return found != m_arrays.end() ? found->second : nullptr;
    }
    return m_addresses.liveAt(address);
}

void MemoryResolver::free(const ResolvedCall& call) {
    const auto family = static_cast<FreeFamily>(call.header().detail);
    const std::uint64_t address = call.record.free.address;
    // Unknown when it was allocated before recording began, or its record was lost; the drops say so.
    const BufferPtr buffer = findFreed(family, address);
    if (buffer == nullptr) return;
    // Imports of one allocation share an address; each is given back by itself.
    if (buffer->kind == BufferKind::Ipc && --buffer->openCount > 0) return;
    if (family == FreeFamily::Async) {
        buffer->freeStreamId = m_identities.streamOf(call, call.record.free.stream, call.header().enterTicks);
    }
    end(buffer, call, "freed");
}

void MemoryResolver::endRow(BufferRow& row, std::uint64_t enterTicks, std::uint64_t exitTicks,
                            std::string_view endKind) {
    // A free that began before the allocation returned can only be seen out of order; time must not run
    // backwards.
    row.freeTicks = enterTicks > row.allocTicks ? enterTicks : row.allocTicks;
    row.freeExitTicks = exitTicks > row.freeTicks ? exitTicks : row.freeTicks;
    row.endKind = endKind;
}

void MemoryResolver::retire(const BufferPtr& buffer) {
    if (buffer->kind == BufferKind::Array) {
        m_arrays.erase(buffer->address);
    } else {
        m_addresses.retire(buffer);
    }
}

void MemoryResolver::end(const BufferPtr& buffer, const ResolvedCall& call, std::string_view endKind) {
    endRow(*buffer, call.header().enterTicks, call.header().exitTicks, endKind);
    buffer->freeThreadId = call.threadId;
    buffer->freeStackId = call.stackId;
    buffer->freeApi = callName(call.header().api);
    retire(buffer);
    m_scope.sink.markBuffer(buffer);
}

void MemoryResolver::moduleGlobal(const ResolvedCall& call) {
    const formats::ModulePayload& payload = call.record.module;
    const BufferPtr known = m_addresses.liveAt(payload.address);
    if (payload.address == 0 || (known != nullptr && known->kind == BufferKind::Module)) return;
    const BufferPtr global = makeBuffer(call, BufferKind::Module, payload.address, payload.sizeBytes);
    adopt(global);
    std::vector<BufferPtr>& ofModule = m_moduleGlobals[payload.module];
    std::erase_if(ofModule, [](const BufferPtr& old) { return !old->isLive(); });
    ofModule.push_back(global);
}

void MemoryResolver::moduleChanged(const ResolvedCall& call) {
    const auto event = static_cast<formats::GpuModuleEvent>(call.header().detail);
    const auto found = m_moduleGlobals.find(call.record.module.module);
    if (event != formats::GpuModuleEvent::UnloadCall || found == m_moduleGlobals.end()) return;
    for (const BufferPtr& global : found->second) {
        if (global->isLive()) end(global, call, "freed");
    }
    m_moduleGlobals.erase(found);
}

void MemoryResolver::contextDestroyed(std::int64_t contextId, const ResolvedCall& call, bool isProcessExit) {
    std::vector<BufferPtr> gone;
    for (const auto& [address, buffer] : m_addresses.live()) {
        // Registered host memory is the job's own and outlives every context; mappings belong to the process.
        const bool survives = buffer->kind == BufferKind::Registered || buffer->kind == BufferKind::Vmm;
        if (buffer->contextId == contextId && !survives) gone.push_back(buffer);
    }
    for (const auto& [handle, buffer] : m_arrays) {
        if (buffer->contextId == contextId) gone.push_back(buffer);
    }
    for (const BufferPtr& buffer : gone) {
        endRow(*buffer, call.header().enterTicks, call.header().exitTicks,
               isProcessExit ? "process-ended" : "context-destroyed");
        retire(buffer);
        m_scope.sink.markBuffer(buffer);
    }
}

void MemoryResolver::processEnded(std::uint64_t timeTicks) {
    std::vector<BufferPtr> gone;
    for (const auto& [address, buffer] : m_addresses.live())
        gone.push_back(buffer);
    for (const auto& [handle, buffer] : m_arrays)
        gone.push_back(buffer);
    for (const BufferPtr& buffer : gone) {
        endRow(*buffer, timeTicks, timeTicks, "process-ended");
        retire(buffer);
        m_scope.sink.markBuffer(buffer);
    }
}

Status MemoryResolver::restore(formats::Connection& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement generations,
                               capture.prepare("SELECT address, max(generation), kind='array' FROM buffers "
                                               "WHERE process_id=? GROUP BY address, kind='array'"));
    VRAMSCOPE_RETURN_IF_ERROR(
        forEachRow(generations, m_scope.processId, [this](const formats::Statement& row) {
            if (row.columnInt(2) != 0) {
                m_arrayGenerations.raise(row.columnAddress(0), row.columnAddress(1));
            } else {
                m_addresses.raiseGeneration(row.columnAddress(0), row.columnAddress(1));
            }
        }));
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement live,
                               capture.prepare("SELECT buffer_id, kind, address, generation, size_bytes, "
                                               "context_id, device_id, handle_id FROM buffers "
                                               "WHERE process_id=? AND end_kind IS NULL"));
    return forEachRow(live, m_scope.processId, [this](const formats::Statement& row) {
        auto buffer = std::make_shared<BufferRow>();
        buffer->bufferId = row.columnInt(0);
        buffer->processId = m_scope.processId;
        buffer->kind = formats::bufferKindFromName(row.columnText(1));
        buffer->address = row.columnAddress(2);
        buffer->generation = row.columnAddress(3);
        buffer->sizeBytes = row.columnAddress(4);
        buffer->contextId = row.columnInt(5);
        buffer->deviceId = row.columnInt(6);
        buffer->handleId = row.columnInt(7);
        buffer->isInserted = true;
        // When it came to life is in its row; here it only matters that it did before anything that is still
        // to come.
        adopt(buffer);
    });
}

}  // namespace vramscope::collector
