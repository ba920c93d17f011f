// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/ownership.h"

#include <algorithm>

namespace vramscope::model {
namespace {

bool isFor(const TaskId& lentTo, TaskId task) {
    return lentTo.isNone() || lentTo == task;
}

bool overlaps(const Loan& loan, std::int64_t offset, std::int64_t sizeBytes) {
    return loan.offset < offset + sizeBytes && offset < loan.offset + loan.sizeBytes;
}

/// Neighbours that were got together.
bool isOneHolding(const Owned& before, const Owned& part) {
    return before.taskId == part.taskId && before.isHeap == part.isHeap && before.sinceNs == part.sinceNs &&
           before.stackId == part.stackId && before.basis == part.basis;
}

// What was said of more buffers than these is a stranger's file that wants our memory.
constexpr std::size_t kMostLoans = 10'000;

}  // namespace

Ownership::Ownership(const Capture& capture, const TaskTimeline& tasks) : m_capture(capture), m_tasks(tasks) {
    for (const OwnershipChange& change : capture.ownershipChanges)
        m_events.push_back({change.timeNs, &change, nullptr, false});
    for (const SubBuffer& piece : capture.subBuffers) {
        if (piece.kind == PieceKind::Region) continue;
        m_events.push_back({piece.startNs, nullptr, &piece, false});
        if (piece.endNs != kNever) m_events.push_back({piece.endNs, nullptr, &piece, true});
    }
    // A heap that ends takes its blocks with it: they go back to it first.
    const auto key = [](const Event& event) {
        const bool isHeapEnd = event.isEnd && event.piece->kind == PieceKind::Heap;
        return std::pair(event.timeNs, isHeapEnd);
    };
    std::stable_sort(m_events.begin(), m_events.end(),
                     [&](const Event& a, const Event& b) { return key(a) < key(b); });
}

void Ownership::advanceTo(std::int64_t timeNs) {
    for (; m_next < m_events.size() && m_events[m_next].timeNs <= timeNs; ++m_next)
        apply(m_events[m_next]);
}

Owned Ownership::bornOwner(const Buffer& buffer) const {
    const TaskAt owner = m_tasks.ownerAtBirth(buffer);
    return {0, buffer.sizeBytes, owner.id, owner.basis, buffer.allocNs, buffer.allocStackId, false};
}

Ownership::State& Ownership::stateOf(const Buffer& buffer) {
    const auto [at, isNew] = m_states.try_emplace(buffer.id.value);
    if (isNew) at->second.owners.emplace(0, bornOwner(buffer));
    return at->second;
}

void Ownership::assign(State& state, Owned owned) {
    if (owned.sizeBytes <= 0) return;
    auto& owners = state.owners;
    const auto cutAt = [&](std::int64_t offset) {
        auto at = owners.upper_bound(offset);
        if (at == owners.begin()) return;
        --at;
        Owned& before = at->second;
        if (before.offset == offset || before.end() <= offset) return;
        Owned rest = before;
        rest.offset = offset;
        rest.sizeBytes = before.end() - offset;
        before.sizeBytes = offset - before.offset;
        owners.emplace(offset, rest);
    };
    cutAt(owned.offset);
    cutAt(owned.end());
    owners.erase(owners.lower_bound(owned.offset), owners.lower_bound(owned.end()));
    owners.emplace(owned.offset, owned);
}

void Ownership::apply(const Event& event) {
    const BufferId id = event.change != nullptr ? event.change->bufferId : event.piece->bufferId;
    const Buffer* buffer = m_capture.buffers.find(id);
    if (buffer == nullptr) return;
    State& state = stateOf(*buffer);
    if (event.change != nullptr) return change(state, *event.change);
    if (event.isEnd) return endPiece(state, *buffer, *event.piece);
    addPiece(state, *event.piece);
}

void Ownership::change(State& state, const OwnershipChange& change) {
    if (change.kind == HandOver::Give) {
        // Given to all is given to nobody in particular: everybody may use it from here on.
        if (change.toTaskId.isNone()) {
            state.loans.push_back({change.offset, change.sizeBytes, {}, true, change.timeNs});
            return;
        }
        assign(state, {change.offset, change.sizeBytes, change.toTaskId, TaskBasis::Mark, change.timeNs,
                       change.stackId, false, true});
        return;
    }
    std::erase_if(state.loans, [&](const Loan& loan) {
        return loan.taskId == change.toTaskId && overlaps(loan, change.offset, change.sizeBytes) &&
               loan.offset >= change.offset &&
               loan.offset + loan.sizeBytes <= change.offset + change.sizeBytes;
    });
    if (change.kind == HandOver::LendEnd || state.loans.size() >= kMostLoans) return;
    state.loans.push_back({change.offset, change.sizeBytes, change.toTaskId,
                           change.kind == HandOver::LendWrite, change.timeNs});
    state.everLentTo.push_back(change.toTaskId);
}

void Ownership::addPiece(State& state, const SubBuffer& piece) {
    const bool isHeap = piece.kind == PieceKind::Heap;
    assign(state, {piece.offset, piece.sizeBytes, isHeap ? TaskId() : piece.taskId, TaskBasis::Mark,
                   piece.startNs, piece.stackId, isHeap, true});
}

void Ownership::endPiece(State& state, const Buffer& buffer, const SubBuffer& piece) {
    Owned rest = bornOwner(buffer);
    rest.offset = piece.offset;
    rest.sizeBytes = piece.sizeBytes;
    rest.sinceNs = piece.endNs;
    if (piece.kind == PieceKind::Block) {
        // Back to the heap that it came from.
        rest.taskId = {};
        rest.basis = TaskBasis::Mark;
        rest.isHeap = true;
    }
    if (piece.kind == PieceKind::Block) return assign(state, rest);
    // What was given away in the meantime stays so.
    std::vector<Owned> parts;
    for (const auto& [offset, part] : state.owners) {
        if (part.isHeap && part.offset < piece.offset + piece.sizeBytes && piece.offset < part.end())
            parts.push_back(part);
    }
    for (const Owned& part : parts) {
        rest.offset = std::max(part.offset, piece.offset);
        rest.sizeBytes = std::min(part.end(), piece.offset + piece.sizeBytes) - rest.offset;
        assign(state, rest);
    }
}

std::vector<Owned> Ownership::ownersOf(const Buffer& buffer, std::int64_t offset,
                                       std::int64_t sizeBytes) const {
    const auto found = m_states.find(buffer.id.value);
    if (found == m_states.end()) {
        Owned whole = bornOwner(buffer);
        whole.offset = offset;
        whole.sizeBytes = sizeBytes;
        return {whole};
    }
    std::vector<Owned> owners;
    auto at = found->second.owners.upper_bound(offset);
    if (at != found->second.owners.begin()) --at;
    for (; at != found->second.owners.end() && at->second.offset < offset + sizeBytes; ++at) {
        Owned part = at->second;
        const std::int64_t begin = std::max(part.offset, offset);
        const std::int64_t end = std::min(part.end(), offset + sizeBytes);
        if (begin >= end) continue;
        part.offset = begin;
        part.sizeBytes = end - begin;
        if (!owners.empty() && isOneHolding(owners.back(), part)) {
            owners.back().sizeBytes += part.sizeBytes;
        } else {
            owners.push_back(part);
        }
    }
    return owners;
}

std::vector<std::pair<std::int64_t, std::int64_t>> Ownership::partsNotLent(
    const Buffer& buffer, std::int64_t offset, std::int64_t sizeBytes, TaskId task, bool forWriting) const {
    const auto found = m_states.find(buffer.id.value);
    if (found == m_states.end()) return {{offset, sizeBytes}};
    std::vector<std::pair<std::int64_t, std::int64_t>> lent;
    for (const Loan& loan : found->second.loans) {
        if (isFor(loan.taskId, task) && (loan.mayWrite || !forWriting))
            lent.emplace_back(loan.offset, loan.offset + loan.sizeBytes);
    }
    std::sort(lent.begin(), lent.end());
    std::vector<std::pair<std::int64_t, std::int64_t>> parts;
    const std::int64_t rangeEnd = offset + sizeBytes;
    std::int64_t covered = offset;
    for (const auto& [begin, end] : lent) {
        if (begin >= rangeEnd) break;
        if (begin > covered) parts.emplace_back(covered, begin - covered);
        covered = std::max(covered, end);
    }
    if (covered < rangeEnd) parts.emplace_back(covered, rangeEnd - covered);
    return parts;
}

bool Ownership::isLent(const Buffer& buffer, std::int64_t offset, std::int64_t sizeBytes, TaskId task,
                       bool forWriting) const {
    return partsNotLent(buffer, offset, sizeBytes, task, forWriting).empty();
}

const Loan* Ownership::loanOf(const Buffer& buffer, std::int64_t offset, std::int64_t sizeBytes,
                              TaskId task) const {
    const auto found = m_states.find(buffer.id.value);
    if (found == m_states.end()) return nullptr;
    for (const Loan& loan : found->second.loans) {
        if (isFor(loan.taskId, task) && overlaps(loan, offset, sizeBytes)) return &loan;
    }
    return nullptr;
}

bool Ownership::wasEverLent(const Buffer& buffer, TaskId task) const {
    const auto found = m_states.find(buffer.id.value);
    if (found == m_states.end()) return false;
    return std::any_of(found->second.everLentTo.begin(), found->second.everLentTo.end(),
                       [&](const TaskId& lentTo) { return isFor(lentTo, task); });
}

}  // namespace vramscope::model
