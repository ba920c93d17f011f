// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/foreign_writes.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/detectors/unordered_uses.h"
#include "analyzer/model/pooled_buffers.h"
#include "analyzer/model/shared_memory.h"

namespace vramscope::detectors {
namespace {

using model::Access;
using model::AccessRows;
using model::Buffer;
using model::Owned;
using model::SameMemory;
using model::SubBuffer;
using model::TaskBasis;

constexpr std::size_t kMostWrites = 100'000;
/// A copy with more separate rows is left out.
constexpr std::int64_t kMostRows = 4096;

class ForeignWriteFinder {
public:
    explicit ForeignWriteFinder(const Evidence& evidence)
        : m_evidence(evidence),
          m_capture(evidence.capture),
          m_libraries(evidence.libraries),
          m_tasks(evidence.capture),
          m_ownership(evidence.capture, m_tasks),
          m_pooled(buffersCutUpUnseen(evidence.capture, evidence.libraries)),
          m_memory(evidence.capture),
          m_unordered(evidence.capture, m_tasks) {
        for (const model::OwnershipChange& change : m_capture.ownershipChanges)
            noteSaid(change.bufferId, change.timeNs, change.offset, change.sizeBytes);
        m_declared.reserve(m_said.size());
        for (const auto& [buffer, said] : m_said)
            m_declared.insert(buffer);
        for (const SubBuffer& piece : m_capture.subBuffers) {
            if (piece.kind == model::PieceKind::Region) continue;
            noteSaid(piece.bufferId, piece.startNs, piece.offset, piece.sizeBytes);
            if (piece.endNs != model::kNever)
                noteSaid(piece.bufferId, piece.endNs, piece.offset, piece.sizeBytes);
        }
        for (auto& [buffer, said] : m_said)
            std::sort(said.begin(), said.end());
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
    /// A moment at which the owner of a range, or who may use it, changed.
    struct Said {
        std::int64_t timeNs = 0;
        std::int64_t begin = 0;
        std::int64_t end = 0;
        auto operator<=>(const Said&) const = default;
    };

    void noteSaid(model::BufferId buffer, std::int64_t timeNs, std::int64_t offset, std::int64_t bytes) {
        m_said[buffer.value].push_back({timeNs, offset, model::addClamped(offset, bytes)});
    }
    bool isUnsettled(const Access& access, const Buffer& buffer) const {
        const auto found = m_said.find(buffer.id.value);
        if (found == m_said.end()) return false;
        auto at = std::lower_bound(found->second.begin(), found->second.end(), Said{access.enterNs, 0, 0});
        for (; at != found->second.end() && at->timeNs <= access.exitNs; ++at) {
            if (access.touches(at->begin, at->end)) return true;
        }
        return false;
    }

    void judge(const Access& access, const Buffer& named) {
        if (access.taskId.isNone() || access.basis == TaskBasis::Unassigned) return;
        judgeIn(access, {&named});
        // The physical memory is whose right to it is the older one.
        for (const SameMemory& older : m_memory.olderThan(named)) {
            if (older.buffer->isLiveAt(access.enterNs) && !isSharedByLibrary(older)) judgeIn(access, older);
        }
    }

    /// What a library gives to other processes, or got for itself, is its own business.
    bool isSharedByLibrary(const SameMemory& older) const {
        if (older.handle == nullptr) return false;
        const auto isProgram = [&](model::StackId stack) {
            return m_libraries.of(stack, older.buffer->processId).kind == model::LibraryKind::Program;
        };
        return !isProgram(older.handle->stackId) || !isProgram(older.buffer->allocStackId);
    }

    void judgeIn(const Access& access, const SameMemory& through) {
        const Buffer& buffer = *through.buffer;
        if (access.offset >= buffer.sizeBytes) return;
        // A workspace is the library's, whichever task happened to call it first.
        if (m_libraries.of(buffer.allocStackId, buffer.processId).kind == model::LibraryKind::Compute) return;
        if (access.rows.isOne()) {
            // What a kernel did behind the pointer is not known; the owner of its first byte is asked.
            const std::int64_t bytes =
                isGuess(access) ? 1 : std::min(access.sizeBytes, buffer.sizeBytes - access.offset);
            if (access.digestChange >= 0) return judgeDigest(access, through, bytes);
            if (access.isInstrumented && m_ownership.ownersOf(buffer, access.offset, bytes).size() > 1) {
                // Only the first byte and the last are known to be touched.
                judgeRange(access, through, access.offset, 1);
                return judgeRange(access, through, access.offset + bytes - 1, 1);
            }
            return judgeRange(access, through, access.offset, bytes);
        }
        const AccessRows& rows = access.rows;
        if (rows.slices > kMostRows || rows.count > kMostRows || rows.slices * rows.count > kMostRows) return;
        for (std::int64_t slice = 0; slice < rows.slices; ++slice) {
            for (std::int64_t row = 0; row < rows.count; ++row) {
                const std::int64_t offset = access.offset + rows.offsetOf(slice, row);
                if (offset >= buffer.sizeBytes) return;
                judgeRange(access, through, offset, std::min(access.sizeBytes, buffer.sizeBytes - offset));
            }
        }
    }

    /// A digest is of the whole buffer: which of several owners' bytes, or of bytes partly lent, changed it
    /// does not say.
    void judgeDigest(const Access& access, const SameMemory& through, std::int64_t bytes) {
        const std::vector<Owned> owners = m_ownership.ownersOf(*through.buffer, access.offset, bytes);
        if (owners.size() != 1 || !isForeign(access, *through.buffer, owners.front())) return;
        const Owned& owned = owners.front();
        const auto parts =
            m_ownership.partsNotLent(*through.buffer, owned.offset, owned.sizeBytes, access.taskId, true);
        const bool isWhole = parts.size() == 1 && parts.front().second == owned.sizeBytes;
        if (isWhole && !mayBeOwners(access, owned)) add(access, through, owned);
    }

    /// Work of the owner's that writes this buffer was given to the device between the two digests, and may
    /// have run between them: that explains the change, so nobody is accused of it.
    bool mayBeOwners(const Access& access, const Owned& owned) const {
        constexpr std::ptrdiff_t kMostLooks = 1000;
        const auto index = static_cast<std::size_t>(access.digestChange);
        if (index >= m_capture.digestChanges.size()) return false;
        const model::DigestChange& change = m_capture.digestChanges[index];
        if (change.others.empty()) return false;
        const auto explains = [&](const Access& use) {
            const std::int64_t lastNs = std::max(use.lastNs, use.exitNs);
            const bool isBetween = use.enterNs <= change.toNs && lastNs >= change.fromNs;
            if (!use.mayWrite || use.isReadOnly || use.digestChange >= 0 || !isBetween) return false;
            const std::string_view name = use.isLaunch ? use.what : model::kCopyOrSet;
            return std::find(change.others.begin(), change.others.end(), name) != change.others.end();
        };
        // Launches that repeat are one access, at the first of them.
        const auto before = m_uses.find({access.bufferId.value, owned.taskId});
        if (before != m_uses.end()) {
            const std::vector<const Access*>& uses = before->second;
            const std::ptrdiff_t looks = std::min<std::ptrdiff_t>(std::ssize(uses), kMostLooks);
            if (std::any_of(uses.end() - looks, uses.end(),
                            [&](const Access* use) { return explains(*use); }))
                return true;
        }
        const std::vector<Access>& all = m_capture.sharedAccesses.accesses;
        const std::ptrdiff_t first = &access - all.data();
        const std::ptrdiff_t looks = std::min<std::ptrdiff_t>(std::ssize(all) - first, kMostLooks);
        return std::any_of(all.begin() + first, all.begin() + first + looks, [&](const Access& use) {
            return use.bufferId == access.bufferId && use.taskId == owned.taskId && explains(use);
        });
    }

    void judgeRange(const Access& access, const SameMemory& through, std::int64_t offset,
                    std::int64_t bytes) {
        for (const Owned& owned : m_ownership.ownersOf(*through.buffer, offset, bytes)) {
            if (!isForeign(access, *through.buffer, owned)) continue;
            for (const auto& [partOffset, partBytes] : m_ownership.partsNotLent(
                     *through.buffer, owned.offset, owned.sizeBytes, access.taskId, true)) {
                // Of what a kernel was seen to touch, the bytes between the first and the last are not sure.
                const bool isTouched = partOffset == offset || partOffset + partBytes == offset + bytes;
                if (access.isInstrumented && !isTouched) continue;
                Owned part = owned;
                part.offset = partOffset;
                part.sizeBytes = partBytes;
                add(access, through, part);
            }
        }
    }

    /// Nothing but the pointer that a launch was given speaks for it.
    static bool isGuess(const Access& access) { return access.isArgument() && access.digestChange < 0; }

    bool isForeign(const Access& access, const Buffer& buffer, const Owned& owned) const {
        if (owned.isHeap || owned.taskId.isNone() || owned.taskId == access.taskId) return false;
        if (owned.basis == TaskBasis::Unassigned) return false;
        // What a process has before it begins with tasks is there for all of them, and for those it gives it.
        if (owned.taskId == m_tasks.ownTaskOf(buffer.processId)) return false;
        // Under a loan for reading a kernel that is given the pointer is taken to read, unless it is seen to
        // write.
        if (isGuess(access) && m_ownership.loanOf(buffer, owned.offset, owned.sizeBytes, access.taskId))
            return false;
        const bool rests = isGuessed(owned.basis) || isGuessed(access.basis);
        // Of the pieces of a pool only those count of which it was said whose they are.
        if (m_pooled.ids.contains(buffer.id.value)) return owned.isSaid && !rests;
        return !rests || onlyOwnerWrote(buffer, owned.taskId) ||
               m_unordered.has(access, buffer.id, owned.taskId);
    }

    bool onlyOwnerWrote(const Buffer& buffer, model::TaskId owner) const {
        const auto found = m_writers.find(buffer.id.value);
        return found != m_writers.end() && found->second.size() == 1 && found->second.contains(owner);
    }

    void add(const Access& access, const SameMemory& through, const Owned& owned) {
        const Buffer& buffer = *through.buffer;
        const bool isUsed = wasUsedBefore(access, buffer, owned);
        if (!m_found.empty() && isRowOf(m_found.back(), access, buffer, owned)) {
            ForeignWrite& write = m_found.back();
            write.bytes = model::addClamped(write.bytes, owned.sizeBytes);
            // A row that the owner had used is the one to tell about.
            if (isUsed && !write.wasUsedBefore) write.owned = owned;
            write.wasUsedBefore = write.wasUsedBefore || isUsed;
            return;
        }
        if (isAllowed(access, owned)) return;
        ForeignWrite& write = m_found.emplace_back();
        write.access = &access;
        write.buffer = &buffer;
        write.owned = owned;
        write.bytes = access.isArgument() ? 0 : owned.sizeBytes;
        write.isThroughImport = through.handle != nullptr;
        write.isThroughAlias = through.handle == nullptr && !(buffer.id == access.bufferId);
        write.isOriginSure = through.isSure;
        write.isDeclared = m_declared.contains(buffer.id.value);
        write.isUnsettled = isUnsettled(access, buffer);
        write.isUnordered = m_unordered.has(access, buffer.id, owned.taskId);
        write.wasUsedBefore = isUsed;
        const model::Loan* loan = m_ownership.loanOf(buffer, owned.offset, owned.sizeBytes, access.taskId);
        write.isLentReadOnly = loan != nullptr && !loan->mayWrite;
        write.wasLentBefore = loan == nullptr && m_ownership.wasEverLent(buffer, access.taskId);
    }

    bool isAllowed(const Access& access, const Owned& owned) {
        const auto rest = std::tuple(&access, owned.taskId, owned.stackId);
        if (rest == m_lastAllowed) return true;
        const bool allows = m_evidence.allows({"corruption.overwrite", m_capture.taskName(owned.taskId),
                                               m_capture.taskName(access.taskId), access.what, owned.stackId,
                                               access.stackId, access.callCount});
        if (allows) m_lastAllowed = rest;
        return allows;
    }

    static bool isRowOf(const ForeignWrite& write, const Access& access, const Buffer& buffer,
                        const Owned& owned) {
        return write.access == &access && write.buffer == &buffer && write.owned.taskId == owned.taskId &&
               write.owned.sinceNs == owned.sinceNs && write.owned.stackId == owned.stackId;
    }

    /// Looks at the earliest uses first: what was used once was used.
    bool wasUsedBefore(const Access& access, const Buffer& buffer, const Owned& owned) const {
        constexpr std::size_t kMostLooks = 1000;
        const auto found = m_uses.find({buffer.id.value, owned.taskId});
        if (found == m_uses.end()) return false;
        const std::vector<const Access*>& uses = found->second;
        for (std::size_t i = 0; i < std::min(uses.size(), kMostLooks); ++i) {
            const Access& use = *uses[i];
            if (use.exitNs < access.enterNs && use.touches(owned.offset, owned.end())) return true;
        }
        return false;
    }

    void remember(const Access& access, const Buffer& buffer) {
        m_uses[{buffer.id.value, access.taskId}].push_back(&access);
        if (access.mayWrite) m_writers[buffer.id.value].insert(access.taskId);
    }

    const Evidence& m_evidence;
    const model::Capture& m_capture;
    model::LibraryCache& m_libraries;
    model::TaskTimeline m_tasks;
    model::Ownership m_ownership;
    model::PooledBuffers m_pooled;
    model::SharedMemory m_memory;
    UnorderedUses m_unordered;
    std::unordered_map<std::int64_t, std::vector<Said>> m_said;  ///< by buffer id, by time
    std::unordered_set<std::int64_t> m_declared;  ///< ids of buffers that anything was given or lent of
    std::map<std::pair<std::int64_t, model::TaskId>, std::vector<const Access*>>
        m_uses;                                                           ///< by buffer and task
    std::unordered_map<std::int64_t, std::set<model::TaskId>> m_writers;  ///< by buffer id
    std::vector<ForeignWrite> m_found;
    /// The rows of one call are asked about once.
    std::tuple<const Access*, model::TaskId, model::StackId> m_lastAllowed{};
};

}  // namespace

std::vector<ForeignWrite> foreignWrites(const Evidence& evidence) {
    if (evidence.capture.sharedAccesses.accesses.empty()) return {};
    return ForeignWriteFinder(evidence).find();
}

}  // namespace vramscope::detectors
