// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <map>
#include <set>

#include "analyzer/model/completeness.h"
#include "analyzer/model/launch_pointers.h"
#include "analyzer/model/load_tables.h"
#include "analyzer/model/ordering_model.h"
#include "analyzer/model/ordering_reader.h"
#include "analyzer/model/row_reader.h"
#include "analyzer/model/shared_memory.h"
#include "formats/older_formats.h"

namespace vramscope::model {
namespace {

/// Before it waits in batches, external semaphores, events of whole contexts and who shares events are
/// missing, and what was captured into a graph looks like work.
constexpr std::int64_t kFirstFormatWithAllWaits = 4;

/// What table buffers says about the calls, beyond what every rule needs.
struct BufferCalls {
    StreamId allocStream;
    std::int64_t allocEnterNs = 0;
    StreamId freeStream;
    std::int64_t freeExitNs = kNever;
    ThreadId freeThread;
};

StatusOr<std::vector<StreamRow>> readStreams(formats::Connection& connection, Capture& capture) {
    std::vector<StreamRow> streams;
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "streams",
                 "SELECT stream_id, process_id, context_id, handle, flags FROM streams", [&](RowReader& row) {
                     StreamRow& stream = streams.emplace_back();
                     std::int64_t handle = 0;
                     std::int64_t flags = 0;
                     row.read(stream.id, stream.processId, stream.contextId, handle, flags);
                     stream.isLegacy = handle == 0;
                     stream.isBlocking = handle != 0 && (flags & 1) == 0;
                 }));
    return streams;
}

StatusOr<std::vector<BufferCalls>> readBufferCalls(formats::Connection& connection, Capture& capture) {
    // In the order of the ids, as capture.buffers is.
    std::vector<BufferCalls> calls;
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "buffers",
                 "SELECT stream_id, alloc_enter_ns, free_stream_id, free_exit_ns, free_thread_id FROM buffers"
                 " ORDER BY buffer_id",
                 [&](RowReader& row) {
                     BufferCalls& call = calls.emplace_back();
                     row.read(call.allocStream);
                     row.readTime(call.allocEnterNs);
                     row.read(call.freeStream);
                     row.readTime(call.freeExitNs);
                     row.read(call.freeThread);
                 }));
    return calls;
}

/// Whether graphs are launched, by their stand-ins among the kernels; and which events other processes know.
Status tellHandles(formats::Connection& connection, Capture& capture, OrderingModel& model) {
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, "kernels",
                                       "SELECT kernel_id, process_id FROM kernels WHERE name = '(graph)'",
                                       [&](RowReader& row) {
                                           std::int64_t kernel = 0;
                                           ProcessId process;
                                           row.read(kernel);
                                           row.read(process);
                                           model.addGraphKernel(kernel, process);
                                       }));
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto version, connection.queryInt("PRAGMA main.user_version"));
    if (formats::isColumnNewerThan("objects", "is_shared", version.value_or(0))) return Status::ok();
    // Where the recording shows who opened an event, its records and waits are all there.
    std::set<std::int64_t> matched;
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "ipc_imports",
                 "SELECT i.object_id, h.object_id FROM ipc_imports i JOIN ipc_handles h "
                 "USING (ipc_handle_id) WHERE i.kind = 'event' AND i.matched_by = "
                 "'bytes' AND i.object_id IS NOT NULL AND h.object_id IS NOT NULL",
                 [&](RowReader& row) {
                     ObjectId import;
                     ObjectId exported;
                     row.read(import, exported);
                     model.addSameEvent(import, exported);
                     matched.insert({import.value, exported.value});
                 }));
    return readRows(connection, capture.strings, "objects",
                    "SELECT object_id FROM objects WHERE is_shared = 1", [&](RowReader& row) {
                        ObjectId event;
                        row.read(event);
                        if (!matched.contains(event.value)) model.addSharedEvent(event);
                    });
}

/// Which buffers are one memory, where that is no guess.
void tellSameMemory(const Capture& capture, OrderingModel& model) {
    const SharedMemory memory(capture);
    for (const Buffer& buffer : capture.buffers) {
        for (const SameMemory& older : memory.olderThan(buffer)) {
            if (older.isSure) model.addSameMemory(buffer.id, older.buffer->id);
        }
    }
}

/// Feeds the model: packed events as they come, and the calls of buffers and contexts in between.
class Feeder {
public:
    Feeder(Capture& capture, OrderingModel& model, std::vector<BufferCalls> calls)
        : m_capture(capture), m_model(model), m_calls(std::move(calls)) {}

    std::vector<OtherCall> others() const {
        std::vector<OtherCall> others;
        const auto& buffers = m_capture.buffers.rows();
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            const Buffer& buffer = buffers[i];
            const bool isOrdered = !m_calls[i].allocStream.isNone();
            // Ordered memory is an operation of its stream; other memory is there when the call returns.
            if (isOrdered)
                others.push_back({{m_calls[i].allocEnterNs, 3}, i * kParts + kAlloc});
            else
                others.push_back({{buffer.allocNs, 2}, i * kParts + kAlloc});
            if (buffer.freeNs == kNever) continue;
            others.push_back({{buffer.freeNs, 3}, i * kParts + kFree});
            if (waitsForWork(i)) others.push_back({{m_calls[i].freeExitNs, 0}, i * kParts + kFreed});
        }
        for (std::size_t i = 0; i < m_capture.contexts.size(); ++i) {
            const Context& context = m_capture.contexts.rows()[i];
            if (context.endNs != kNever) others.push_back({{context.endNs, 1}, i * kParts + kContextEnd});
        }
        return others;
    }

    void give(std::size_t number) {
        const std::size_t index = number / kParts;
        if (number % kParts == kContextEnd) {
            const Context& context = m_capture.contexts.rows()[index];
            return m_model.contextEnded(context.processId, context.id, context.endNs);
        }
        const Buffer& buffer = m_capture.buffers.rows()[index];
        const BufferCalls& calls = m_calls[index];
        const OrderedBuffer place{buffer.id, buffer.processId, buffer.kind,
                                  static_cast<std::uint64_t>(buffer.address),
                                  static_cast<std::uint64_t>(buffer.sizeBytes)};
        if (number % kParts == kAlloc) {
            return m_model.alloc(
                place, {buffer.id,
                        {buffer.processId, buffer.allocThreadId, calls.allocEnterNs, buffer.allocNs},
                        streamOf(calls.allocStream),
                        buffer.allocStackId,
                        buffer.api});
        }
        const OrderedCall call{buffer.processId, calls.freeThread, buffer.freeNs, calls.freeExitNs};
        if (number % kParts == kFreed) return m_model.freeReturned(call);
        // What ends with its context or its process was not freed by anybody.
        const std::string_view api = buffer.endKind == EndKind::Freed ? buffer.freeApi : std::string_view();
        m_model.free(place, {buffer.id, call, streamOf(calls.freeStream), buffer.freeStackId, api});
    }

private:
    static constexpr std::size_t kParts = 4;
    static constexpr std::size_t kAlloc = 0;
    static constexpr std::size_t kFree = 1;
    static constexpr std::size_t kFreed = 2;
    static constexpr std::size_t kContextEnd = 3;

    StreamIndex streamOf(StreamId stream) const {
        return stream.isNone() ? kNoStream : m_model.order().indexOf(stream);
    }
    /// Frees of plain, pinned and registered memory and of arrays return when all work is done (measured).
    bool waitsForWork(std::size_t index) const {
        const Buffer& buffer = m_capture.buffers.rows()[index];
        return buffer.endKind == EndKind::Freed && m_calls[index].freeStream.isNone() &&
               buffer.kind != BufferKind::Async && m_calls[index].freeExitNs != kNever;
    }

    Capture& m_capture;
    OrderingModel& m_model;
    std::vector<BufferCalls> m_calls;
};

Status nameSide(formats::Connection& connection, Capture& capture, OrderedSide& side) {
    // The model's own names go with it.
    side.call = capture.strings.intern(side.call);
    if (side.kernelId > 0) {
        VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement kernel,
                                   connection.prepare("SELECT name FROM kernels WHERE kernel_id = ?1"));
        kernel.bind(1, side.kernelId);
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool found, kernel.step());
        if (found) side.call = capture.strings.intern(kernel.columnText(0));
    }
    if (side.streamId.isNone()) return Status::ok();
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement stream,
                               connection.prepare("SELECT handle, name FROM streams WHERE stream_id = ?1"));
    stream.bind(1, side.streamId.value);
    VRAMSCOPE_ASSIGN_OR_RETURN(const bool found, stream.step());
    std::string name = fmt::format("stream {}", side.streamId.value);
    if (found && !stream.columnText(1).empty()) name += fmt::format(" \"{}\"", stream.columnText(1));
    if (found && stream.columnInt(0) == 0) name = "the default stream";
    side.streamName = capture.strings.intern(name);
    return Status::ok();
}

Status nameSides(formats::Connection& connection, Capture& capture) {
    for (OrderingConflict& conflict : capture.ordering.conflicts) {
        if (conflict.isAcrossProcesses()) {
            for (OrderedSide* side : {&conflict.earlier, &conflict.later}) {
                const Process* process = capture.processes.find(side->processId);
                if (process != nullptr)
                    side->processName = capture.strings.intern(fmt::format("pid {}", process->pid));
            }
        }
        VRAMSCOPE_RETURN_IF_ERROR(nameSide(connection, capture, conflict.earlier));
        VRAMSCOPE_RETURN_IF_ERROR(nameSide(connection, capture, conflict.later));
    }
    return Status::ok();
}

Status nameOtherWriters(formats::Connection& connection, Capture& capture, WindowWriters& writers) {
    if (capture.digestChanges.empty()) return Status::ok();
    std::map<std::int64_t, std::string_view> kernels;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, "kernels",
                                       "SELECT kernel_id, name FROM kernels", [&](RowReader& row) {
                                           std::int64_t id = 0;
                                           std::string_view name;
                                           row.read(id, name);
                                           kernels.emplace(id, name);
                                       }));
    const std::vector<std::set<std::int64_t>> others = writers.finish();
    for (std::size_t i = 0; i < others.size(); ++i) {
        for (const std::int64_t id : others[i])
            capture.digestChanges[i].others.push_back(id == 0 ? kCopyOrSet : kernels[id]);
    }
    return Status::ok();
}

std::string whyNotJudged(const Capture& capture) {
    const Completeness completeness = completenessOf(capture);
    if (capture.fact("record_mode") != "all")
        return "Order was not judged: waits were not recorded. Record with --record=all.";
    if (!completeness.workIsWhole || !completeness.allocationsAreWhole)
        return "Order was not judged: records are missing.";
    return {};
}

Status follow(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const std::vector<StreamRow> streams, readStreams(connection, capture));
    VRAMSCOPE_ASSIGN_OR_RETURN(LaunchPointers pointers, LaunchPointers::open(connection));
    VRAMSCOPE_ASSIGN_OR_RETURN(std::vector<BufferCalls> calls, readBufferCalls(connection, capture));
    if (calls.size() != capture.buffers.size()) return {ErrorKind::Unreadable, "table buffers changed"};
    OrderingModel model(streams, [&](std::int64_t setId) { return pointers.of(setId); });
    VRAMSCOPE_RETURN_IF_ERROR(tellHandles(connection, capture, model));
    tellSameMemory(capture, model);
    WindowWriters writers(model.order(), capture.digestChanges);
    model.tellWork(&writers);
    Feeder feeder(capture, model, std::move(calls));
    const EventReceiver receiver{[&](const formats::LaunchEvent& event) { model.launch(event); },
                                 [&](const formats::CopyEvent& event, const std::vector<std::string>& apiOf) {
                                     model.copy(event, apiOf);
                                 },
                                 [&](const formats::SetEvent& event, const std::vector<std::string>& apiOf) {
                                     model.set(event, apiOf);
                                 },
                                 [&](const formats::SyncEvent& event) { model.sync(event); },
                                 [&](std::size_t number) { feeder.give(number); }};
    VRAMSCOPE_RETURN_IF_ERROR(readInOrder(connection, feeder.others(), receiver));
    VRAMSCOPE_RETURN_IF_ERROR(pointers.status());
    capture.ordering.conflicts = model.finish();
    VRAMSCOPE_RETURN_IF_ERROR(nameOtherWriters(connection, capture, writers));
    VRAMSCOPE_RETURN_IF_ERROR(nameSides(connection, capture));
    capture.ordering.forgottenCount = model.forgottenCount();
    return Status::ok();
}

}  // namespace

Status loadOrdering(formats::Connection& connection, Capture& capture) {
    capture.ordering.whyNot = whyNotJudged(capture);
    if (!capture.ordering.whyNot.empty()) return Status::ok();
    // Without an order there are no conflicts; everything else in the capture stands.
    if (const Status status = follow(connection, capture); !status.isOk()) {
        capture.ordering.conflicts.clear();
        capture.ordering.whyNot = status.message();
        return Status::ok();
    }
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto version, connection.queryInt("PRAGMA main.user_version"));
    capture.ordering.waitsAreWhole = version.value_or(0) >= kFirstFormatWithAllWaits;
    capture.ordering.isJudged = true;
    return Status::ok();
}

}  // namespace vramscope::model
