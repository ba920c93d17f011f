// SPDX-License-Identifier: Apache-2.0
#include "gui/session/owner_record.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyzer/model/graph_nodes.h"
#include "analyzer/model/ownership.h"
#include "formats/capture_file.h"

namespace vramscope::gui {
namespace {

using model::HandOver;
using Kind = OwnerMark::Kind;

/// Follows who owns the bytes of the wanted buffers through everything that was said.
class SpanCollector {
public:
    SpanCollector(const model::Capture& capture, const BufferSet& wanted, std::int64_t endNs)
        : m_capture(capture),
          m_wanted(wanted),
          m_endNs(endNs),
          m_tasks(capture),
          m_ownership(capture, m_tasks) {}

    std::vector<OwnedSpan> collect() {
        for (const auto& [timeNs, buffers] : moments()) {
            m_ownership.advanceTo(timeNs);
            for (const std::int64_t id : buffers)
                look(id, timeNs);
        }
        for (auto& [id, open] : m_open) {
            for (OwnedSpan& span : open)
                close(span, std::min(m_capture.buffers.find({id})->freeNs, m_endNs));
        }
        return std::move(m_spans);
    }

private:
    /// When anything may have changed, and for which buffers.
    std::map<std::int64_t, std::set<std::int64_t>> moments() const {
        std::map<std::int64_t, std::set<std::int64_t>> moments;
        const auto add = [&](model::BufferId id, std::int64_t timeNs) {
            const model::Buffer* buffer = m_capture.buffers.find(id);
            if (buffer == nullptr || !m_wanted.contains(id.value) || timeNs == model::kNever) return;
            moments[buffer->allocNs].insert(id.value);
            if (timeNs < buffer->freeNs) moments[std::max(timeNs, buffer->allocNs)].insert(id.value);
        };
        for (const model::OwnershipChange& change : m_capture.ownershipChanges) {
            if (change.kind == HandOver::Give) add(change.bufferId, change.timeNs);
        }
        for (const model::SubBuffer& piece : m_capture.subBuffers) {
            add(piece.bufferId, piece.startNs);
            add(piece.bufferId, piece.endNs);
        }
        // Without a word a buffer is its first owner's for all its life.
        if (m_tasks.hasTasks()) {
            for (const std::int64_t id : m_wanted)
                if (const model::Buffer* buffer = m_capture.buffers.find({id}))
                    moments[buffer->allocNs].insert(id);
        }
        return moments;
    }

    void look(std::int64_t id, std::int64_t timeNs) {
        const model::Buffer& buffer = *m_capture.buffers.find({id});
        std::vector<OwnedSpan> now;
        for (const model::Owned& owned : m_ownership.ownersOf(buffer, 0, buffer.sizeBytes))
            now.push_back(
                {{id}, owned.offset, owned.sizeBytes, {timeNs, timeNs}, owned.taskId, owned.isHeap});
        std::vector<OwnedSpan>& open = m_open[id];
        for (OwnedSpan& before : open) {
            const auto same = std::find_if(now.begin(), now.end(), [&](const OwnedSpan& span) {
                return span.offset == before.offset && span.sizeBytes == before.sizeBytes &&
                       span.task == before.task && span.isHeap == before.isHeap;
            });
            if (same != now.end())
                same->time.fromNs = before.time.fromNs;
            else
                close(before, timeNs);
        }
        open = std::move(now);
    }

    void close(OwnedSpan span, std::int64_t timeNs) {
        span.time.toNs = timeNs;
        if (!span.time.isEmpty() && m_spans.size() < kMostOwnerMarks) m_spans.push_back(span);
    }

    const model::Capture& m_capture;
    const BufferSet& m_wanted;
    std::int64_t m_endNs;
    model::TaskTimeline m_tasks;
    model::Ownership m_ownership;
    std::map<std::int64_t, std::vector<OwnedSpan>> m_open;
    std::vector<OwnedSpan> m_spans;
};

class MarkCollector {
public:
    MarkCollector(const Analysis& analysis, const BufferSet& wanted, std::int64_t endNs, OwnerRecord& record)
        : m_analysis(analysis),
          m_capture(*analysis.capture),
          m_wanted(wanted),
          m_endNs(endNs),
          m_record(record) {}

    void collectSaid() {
        for (const model::OwnershipChange& change : m_capture.ownershipChanges) {
            if (!m_wanted.contains(change.bufferId.value)) continue;
            if (change.kind == HandOver::LendEnd)
                endLoans(change);
            else
                addHandOver(change);
        }
    }

    void collectNames() {
        for (const model::SubBuffer& piece : m_capture.subBuffers) {
            const model::Buffer* buffer = m_capture.buffers.find(piece.bufferId);
            if (piece.name.empty() || buffer == nullptr) continue;
            OwnerMark mark;
            mark.kind = Kind::Name;
            mark.buffer = piece.bufferId;
            mark.offset = piece.offset;
            mark.sizeBytes = piece.sizeBytes;
            mark.time = {piece.startNs, std::min({piece.endNs, buffer->freeNs, m_endNs})};
            mark.task = piece.taskId;
            mark.what = piece.name;
            mark.stack = piece.stackId;
            add(std::move(mark));
        }
    }

    void collectFaults() {
        for (const detectors::ForeignWrite& write : m_analysis.foreignWrites) {
            OwnerMark mark = markOf(*write.access, Kind::Overwrite);
            mark.buffer = write.buffer->id;
            if (write.isThroughAlias) mark.through = write.access->bufferId;
            mark.offset = write.owned.offset;
            mark.sizeBytes = write.owned.sizeBytes;
            add(std::move(mark));
        }
        for (const model::GuardHit& hit : m_capture.guardHits) {
            const model::Buffer* buffer = m_capture.buffers.find(hit.bufferId);
            if (buffer == nullptr) continue;
            OwnerMark mark;
            mark.kind = Kind::GuardHit;
            mark.buffer = buffer->id;
            mark.offset = model::addClamped(buffer->sizeBytes, hit.firstOffset);
            mark.sizeBytes = hit.changedBytes;
            mark.time = {hit.sinceNs, hit.foundNs};
            if (!hit.kernels.empty()) {
                mark.what = hit.kernels.front().kernel;
                mark.callCount = hit.kernels.front().launches;
                mark.stack = hit.kernels.front().firstStack;
            }
            add(std::move(mark));
        }
        for (const model::OrderingConflict& conflict : m_capture.ordering.conflicts) {
            if (conflict.kind != model::ConflictKind::AfterFree &&
                conflict.kind != model::ConflictKind::UnorderedFree)
                continue;
            addAfterFree(conflict.bufferId, conflict.later.enterNs, std::string(conflict.later.call),
                         conflict.later.stackId, conflict.count);
        }
        collectStaleGraphs();
    }

    StatusOr<bool> collectAccesses(const Cancel& cancel) {
        VRAMSCOPE_ASSIGN_OR_RETURN(formats::Connection connection,
                                   formats::openCaptureForReading(m_capture.path, 0));
        connection.setInterruptCheck([&cancel] { return cancel.isRequested(); }, 100'000);
        VRAMSCOPE_ASSIGN_OR_RETURN(const model::AccessList list,
                                   model::loadAccesses(connection, m_capture, [this](model::BufferId id) {
                                       return m_wanted.contains(id.value);
                                   }));
        for (const model::Access& access : list.accesses) {
            const Kind certain = access.mayWrite ? Kind::Write : Kind::Read;
            add(markOf(access, access.isLaunch ? Kind::Pointer : certain));
        }
        return list.isWhole && m_hasRoom;
    }

private:
    void add(OwnerMark mark) {
        if (!m_wanted.contains(mark.buffer.value)) return;
        m_hasRoom = m_record.marks.size() < kMostOwnerMarks;
        if (m_hasRoom) m_record.marks.push_back(std::move(mark));
    }

    static OwnerMark markOf(const model::Access& access, Kind kind) {
        OwnerMark mark;
        mark.kind = kind;
        mark.buffer = access.bufferId;
        mark.offset = access.offset;
        mark.sizeBytes = access.sizeBytes;
        mark.time = {access.enterNs, std::max(access.lastNs, access.enterNs)};
        mark.task = access.taskId;
        mark.what = access.what;
        mark.callCount = access.callCount;
        mark.stack = access.stackId;
        return mark;
    }

    void addHandOver(const model::OwnershipChange& change) {
        const model::Buffer* buffer = m_capture.buffers.find(change.bufferId);
        if (buffer == nullptr) return;
        OwnerMark mark;
        mark.kind = change.kind == HandOver::Give       ? Kind::Give
                    : change.kind == HandOver::LendRead ? Kind::LendRead
                                                        : Kind::LendWrite;
        mark.buffer = change.bufferId;
        mark.offset = change.offset;
        mark.sizeBytes = change.sizeBytes;
        // A loan lasts until it is ended, and no longer than the buffer.
        mark.time = {change.timeNs,
                     mark.kind == Kind::Give ? change.timeNs : std::min(buffer->freeNs, m_endNs)};
        mark.task = change.toTaskId;
        mark.stack = change.stackId;
        add(std::move(mark));
    }

    void endLoans(const model::OwnershipChange& end) {
        for (OwnerMark& mark : m_record.marks) {
            const bool isLoan = mark.kind == Kind::LendRead || mark.kind == Kind::LendWrite;
            if (!isLoan || mark.buffer != end.bufferId || mark.time.toNs <= end.timeNs) continue;
            if (!end.toTaskId.isNone() && mark.task != end.toTaskId) continue;
            if (mark.offset < end.offset + end.sizeBytes && end.offset < mark.offset + mark.sizeBytes)
                mark.time.toNs = std::max(end.timeNs, mark.time.fromNs);
        }
    }

    void addAfterFree(model::BufferId id, std::int64_t useNs, std::string what, model::StackId stack,
                      std::int64_t count) {
        const model::Buffer* buffer = m_capture.buffers.find(id);
        if (buffer == nullptr || buffer->freeNs == model::kNever || useNs < buffer->freeNs) return;
        OwnerMark mark;
        mark.kind = Kind::AfterFree;
        mark.buffer = id;
        mark.sizeBytes = buffer->sizeBytes;
        mark.time = {buffer->freeNs, useNs};
        mark.what = std::move(what);
        mark.callCount = count;
        mark.stack = stack;
        add(std::move(mark));
    }

    /// Graphs that were launched although a node of theirs names freed memory; only where a finding says it.
    void collectStaleGraphs() {
        BufferSet stale;
        for (const detectors::Finding& finding : m_analysis.findings) {
            if (finding.rule != "corruption.use-after-free") continue;
            for (const model::BufferId id : finding.buffers)
                if (m_wanted.contains(id.value)) stale.insert(id.value);
        }
        if (stale.empty() || m_capture.graphs.launches.empty()) return;
        const model::GraphNodes nodes(m_capture.graphs);
        std::map<std::int64_t, OwnerMark> last;
        for (const model::GraphLaunch& launch : m_capture.graphs.launches) {
            for (const model::GraphNode* node : nodes.at(launch.execId, launch.enterNs).nodes) {
                for (auto a = m_capture.graphs.firstAddressOf(node->id);
                     a != m_capture.graphs.addresses.end() && a->nodeId == node->id; ++a) {
                    const model::Buffer* buffer = m_capture.buffers.find(a->bufferId);
                    if (buffer == nullptr || !stale.contains(buffer->id.value) ||
                        launch.enterNs < buffer->freeNs)
                        continue;
                    OwnerMark& mark = last[buffer->id.value];
                    mark.callCount = mark.what.empty() ? 1 : mark.callCount + 1;
                    mark.what = "cuGraphLaunch";
                    mark.time.toNs = launch.enterNs;
                    mark.stack = launch.stackId;
                }
            }
        }
        for (const auto& [id, mark] : last)
            addAfterFree({id}, mark.time.toNs, mark.what, mark.stack, mark.callCount);
    }

    const Analysis& m_analysis;
    const model::Capture& m_capture;
    const BufferSet& m_wanted;
    std::int64_t m_endNs;
    OwnerRecord& m_record;
    bool m_hasRoom = true;
};

}  // namespace

StatusOr<OwnerRecord> ownerRecordOf(const Analysis& analysis, const BufferSet& buffers, std::int64_t endNs,
                                    const Cancel& cancel) {
    OwnerRecord record;
    record.spans = SpanCollector(*analysis.capture, buffers, endNs).collect();
    MarkCollector collector(analysis, buffers, endNs, record);
    collector.collectSaid();
    collector.collectNames();
    collector.collectFaults();
    VRAMSCOPE_ASSIGN_OR_RETURN(record.isWhole, collector.collectAccesses(cancel));
    if (cancel.isRequested()) return Status{ErrorKind::Incomplete, "Reading was cancelled."};
    std::stable_sort(record.marks.begin(), record.marks.end(), [](const OwnerMark& a, const OwnerMark& b) {
        return std::tie(a.buffer, a.time.fromNs) < std::tie(b.buffer, b.time.fromNs);
    });
    return record;
}

std::vector<model::BufferId> aliasesOf(const model::Capture& capture, model::BufferId id) {
    std::vector<model::BufferId> aliases;
    const model::Buffer* buffer = capture.buffers.find(id);
    if (buffer == nullptr) return aliases;
    if (buffer->kind == model::BufferKind::Vmm && !buffer->handleId.isNone()) {
        for (const model::Buffer& other : capture.buffers) {
            if (other.handleId == buffer->handleId && other.kind == model::BufferKind::Vmm && other.id != id)
                aliases.push_back(other.id);
        }
    }
    for (const model::IpcImport& import : capture.ipcImports) {
        const model::IpcHandle* handle = capture.ipcHandles.find(import.handleId);
        if (handle == nullptr) continue;
        if (handle->bufferId == id) aliases.push_back(import.bufferId);
        if (import.bufferId == id) aliases.push_back(handle->bufferId);
    }
    return aliases;
}

}  // namespace vramscope::gui
