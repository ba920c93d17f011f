// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/shared_memory.h"

namespace vramscope::model {
namespace {

/// Buffers that are one memory and are kept as such; a job with more mappings of one handle is no job.
constexpr std::size_t kMostHolders = 64;
constexpr std::size_t kMostMappings = 4096;

}  // namespace

SharedMemory::SharedMemory(const Capture& capture) {
    linkImports(capture);
    linkMappings(capture);
}

void SharedMemory::add(const Buffer& buffer, const SameMemory& older) {
    std::vector<SameMemory>& list = m_older[buffer.id.value];
    if (list.size() >= kMostHolders) return;
    list.push_back(older);
    m_isShared[buffer.id.value] = m_isShared[older.buffer->id.value] = true;
}

void SharedMemory::linkImports(const Capture& capture) {
    for (const IpcImport& import : capture.ipcImports) {
        const IpcHandle* handle = capture.ipcHandles.find(import.handleId);
        const Buffer* mapping = capture.buffers.find(import.bufferId);
        const Buffer* exported = handle != nullptr ? capture.buffers.find(handle->bufferId) : nullptr;
        if (mapping == nullptr || exported == nullptr || mapping == exported) continue;
        // Several openings of one handle are one mapping.
        const auto& known = m_older[mapping->id.value];
        if (known.empty()) add(*mapping, {exported, handle, import.isMatchSure()});
    }
}

void SharedMemory::linkMappings(const Capture& capture) {
    std::unordered_map<std::int64_t, Origin> origins;  // by the importer's physical handle
    for (const IpcImport& import : capture.ipcImports) {
        const IpcHandle* handle = capture.ipcHandles.find(import.handleId);
        if (handle == nullptr || import.physicalId.isNone() || handle->handleId.isNone()) continue;
        origins.emplace(import.physicalId.value, Origin{handle, import.isMatchSure()});
    }
    std::unordered_map<std::int64_t, std::vector<const Buffer*>> mappings;  // by physical handle
    for (const Buffer& b : capture.buffers) {
        if (b.kind != BufferKind::Vmm || b.handleId.isNone()) continue;
        std::vector<const Buffer*>& list = mappings[b.handleId.value];
        if (list.size() < kMostMappings) list.push_back(&b);
    }
    for (const auto& [handle, list] : mappings) {
        const auto origin = origins.find(handle);
        for (const Buffer* buffer : list) {
            for (const Buffer* other : list) {
                if (other != buffer && other->allocNs < buffer->allocNs) add(*buffer, {other, nullptr, true});
            }
            if (origin == origins.end()) continue;
            const auto exported = mappings.find(origin->second.handle->handleId.value);
            if (exported == mappings.end() || exported->first == handle) continue;
            for (const Buffer* other : exported->second)
                add(*buffer, {other, origin->second.handle, origin->second.isSure});
        }
    }
}

const std::vector<SameMemory>& SharedMemory::olderThan(const Buffer& buffer) const {
    static const std::vector<SameMemory> kNone;
    const auto found = m_older.find(buffer.id.value);
    return found == m_older.end() ? kNone : found->second;
}

}  // namespace vramscope::model
