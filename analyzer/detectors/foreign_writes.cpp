// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/foreign_writes.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "analyzer/model/pooled_buffers.h"

namespace vramscope::detectors {
namespace {

using model::Access;
using model::Buffer;
using model::Owned;
using model::TaskBasis;

constexpr std::size_t kMostWrites = 100'000;

class ForeignWriteFinder {
public:
    explicit ForeignWriteFinder(const Evidence& evidence)
        : m_capture(evidence.capture),
          m_libraries(evidence.libraries),
          m_tasks(evidence.capture),
          m_ownership(evidence.capture, m_tasks),
          m_pooled(buffersCutUpUnseen(evidence.capture, evidence.libraries)) {
        for (const Buffer& b : m_capture.buffers) {
            if (b.kind == model::BufferKind::Vmm && !b.handleId.isNone())
                m_mappings[b.handleId.value].push_back(&b);
        }
    }

    std::vector<ForeignWrite> find() {
        for (const Access& access : m_capture.sharedAccesses.accesses) {
            m_ownership.advanceTo(access.enterNs);
            const Buffer* buffer = m_capture.buffers.find(access.bufferId);
            if (buffer == nullptr || m_found.size() >= kMostWrites) continue;
            if (access.mayWrite) judge(access, *buffer);
            remember(access, *buffer);
        }
        return std::move(m_found);
    }

private:
    void judge(const Access& access, const Buffer& named) {
        if (access.taskId.isNone() || access.basis == TaskBasis::Unassigned) return;
        judgeIn(access, named, false);
        if (named.kind != model::BufferKind::Vmm || named.handleId.isNone()) return;
        // The physical memory is whose mapping of it is the older one.
        for (const Buffer* other : m_mappings[named.handleId.value]) {
            const bool isOlder = other->allocNs < named.allocNs;
            if (other != &named && isOlder && other->isLiveAt(access.enterNs)) judgeIn(access, *other, true);
        }
    }

    void judgeIn(const Access& access, const Buffer& buffer, bool isThroughAlias) {
        if (m_pooled.ids.contains(buffer.id.value) || access.offset >= buffer.sizeBytes) return;
        // A workspace is the library's, whichever task happened to call it first.
        if (m_libraries.of(buffer.allocStackId, buffer.processId).kind == model::LibraryKind::Compute) return;
        const std::vector<Owned> owners = ownersOfTouched(access, buffer);
        // A digest is of the whole buffer: which of several owners' bytes changed it does not say.
        if (access.digestChange >= 0 && owners.size() != 1) return;
        for (const Owned& owned : owners) {
            if (isForeign(access, buffer, owned)) add(access, buffer, owned, isThroughAlias);
        }
    }

    std::vector<Owned> ownersOfTouched(const Access& access, const Buffer& buffer) const {
        // What a kernel did behind the pointer is not known; the owner of its first byte is asked.
        const std::int64_t bytes = access.isArgument() && access.digestChange < 0
                                       ? 1
                                       : std::min(access.sizeBytes, buffer.sizeBytes - access.offset);
        std::vector<Owned> owners = m_ownership.ownersOf(buffer, access.offset, bytes);
        if (!access.isInstrumented || owners.size() < 2) return owners;
        // Only the first byte and the last are known to be touched.
        owners = m_ownership.ownersOf(buffer, access.offset, 1);
        for (const Owned& last : m_ownership.ownersOf(buffer, access.offset + bytes - 1, 1))
            owners.push_back(last);
        return owners;
    }

    bool isForeign(const Access& access, const Buffer& buffer, const Owned& owned) const {
        if (owned.isHeap || owned.taskId.isNone() || owned.taskId == access.taskId) return false;
        if (owned.basis == TaskBasis::Unassigned) return false;
        // What a process has before it begins with tasks is there for all of them.
        const bool isOfProcess = owned.taskId == m_tasks.ownTaskOf(buffer.processId);
        if (isOfProcess && access.processId == buffer.processId) return false;
        // Under a loan for reading a kernel that is given the pointer is taken to read, unless it is seen to
        // write.
        if (access.isArgument() && access.digestChange < 0 &&
            m_ownership.loanOf(buffer, owned.offset, owned.sizeBytes, access.taskId))
            return false;
        if (m_ownership.isLent(buffer, owned.offset, owned.sizeBytes, access.taskId, true)) return false;
        const bool rests = isGuessed(owned.basis) || isGuessed(access.basis);
        return !rests || onlyOwnerWrote(buffer, owned.taskId);
    }

    bool onlyOwnerWrote(const Buffer& buffer, model::TaskId owner) const {
        const auto found = m_writers.find(buffer.id.value);
        return found != m_writers.end() && found->second.size() == 1 && found->second.contains(owner);
    }

    void add(const Access& access, const Buffer& buffer, const Owned& owned, bool isThroughAlias) {
        ForeignWrite& write = m_found.emplace_back();
        write.access = &access;
        write.buffer = &buffer;
        write.owned = owned;
        write.isThroughAlias = isThroughAlias;
        write.wasUsedBefore = wasUsedBefore(access, buffer, owned);
        const model::Loan* loan = m_ownership.loanOf(buffer, owned.offset, owned.sizeBytes, access.taskId);
        write.isLentReadOnly = loan != nullptr && !loan->mayWrite;
        write.wasLentBefore = loan == nullptr && m_ownership.wasEverLent(buffer, access.taskId);
    }

    /// Looks at the earliest uses first: what was used once was used.
    bool wasUsedBefore(const Access& access, const Buffer& buffer, const Owned& owned) const {
        constexpr std::size_t kMostLooks = 1000;
        const auto found = m_uses.find({buffer.id.value, owned.taskId});
        if (found == m_uses.end()) return false;
        const std::vector<const Access*>& uses = found->second;
        for (std::size_t i = 0; i < std::min(uses.size(), kMostLooks); ++i) {
            const Access& use = *uses[i];
            if (use.exitNs < access.enterNs && use.offset < owned.end() && owned.offset < use.end())
                return true;
        }
        return false;
    }

    void remember(const Access& access, const Buffer& buffer) {
        m_uses[{buffer.id.value, access.taskId}].push_back(&access);
        if (access.mayWrite) m_writers[buffer.id.value].insert(access.taskId);
    }

    const model::Capture& m_capture;
    model::LibraryCache& m_libraries;
    model::TaskTimeline m_tasks;
    model::Ownership m_ownership;
    model::PooledBuffers m_pooled;
    std::unordered_map<std::int64_t, std::vector<const Buffer*>> m_mappings;  ///< by handle id
    std::map<std::pair<std::int64_t, model::TaskId>, std::vector<const Access*>>
        m_uses;                                                           ///< by buffer and task
    std::unordered_map<std::int64_t, std::set<model::TaskId>> m_writers;  ///< by buffer id
    std::vector<ForeignWrite> m_found;
};

}  // namespace

std::vector<ForeignWrite> foreignWrites(const Evidence& evidence) {
    if (evidence.capture.sharedAccesses.accesses.empty()) return {};
    return ForeignWriteFinder(evidence).find();
}

}  // namespace vramscope::detectors
