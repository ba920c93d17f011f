// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/access.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyzer/model/capture.h"
#include "analyzer/model/code_place.h"
#include "analyzer/model/kernel_parameters.h"
#include "analyzer/model/row_reader.h"
#include "analyzer/model/task_timeline.h"

namespace vramscope::model {
namespace {

using Take = std::function<void(const Access&)>;

/// Reads the events of one capture.
class AccessReader {
public:
    AccessReader(formats::Connection& connection, const Capture& capture, StringPool& names, const Take& take)
        : m_connection(connection), m_capture(capture), m_names(names), m_take(take), m_tasks(capture) {}

    StatusOr<bool> read() {
        VRAMSCOPE_RETURN_IF_ERROR(readCopies());
        VRAMSCOPE_RETURN_IF_ERROR(readSets());
        VRAMSCOPE_RETURN_IF_ERROR(readExactLaunches());
        VRAMSCOPE_RETURN_IF_ERROR(readLaunches());
        VRAMSCOPE_RETURN_IF_ERROR(readKernelNames());
        VRAMSCOPE_RETURN_IF_ERROR(readArguments());
        return m_isWhole;
    }

private:
    /// Launches of one kernel with the same arguments by one task, between two changes of ownership.
    using LaunchKey =
        std::tuple<std::int64_t, std::int64_t, TaskId, TaskBasis, std::ptrdiff_t, StreamId, StackId>;

    void readCommon(RowReader& row, Access& access) const {
        row.readTime(access.enterNs);
        row.readTime(access.exitNs);
        row.read(access.processId, access.threadId, access.streamId, access.stackId);
        access.lastNs = access.enterNs;
    }

    void nameTask(Access& access) const {
        const TaskAt task =
            m_tasks.at(access.processId, access.threadId, access.streamId, {}, access.enterNs);
        access.taskId = task.id;
        access.basis = task.basis;
    }

    /// What a row of a copy or set says of its size: all bytes, or those of a row.
    struct Size {
        std::int64_t bytes = 0;
        std::int64_t width = 0;
        std::int64_t count = 0;
        std::int64_t slices = 1;
    };
    struct Place {
        BufferId buffer;
        std::int64_t offset = 0;
        std::int64_t pitch = 0;
        std::int64_t slicePitch = 0;
    };

    /// One side of a copy, or what a set wrote.
    void give(Access access, const Size& size, const Place& place, bool isWrite) const {
        const Buffer* buffer = m_capture.buffers.find(place.buffer);
        if (buffer == nullptr || place.offset < 0 || size.bytes <= 0) return;
        access.sizeBytes = size.bytes;
        if (size.width > 0 && size.count > 0) {
            access.sizeBytes = std::min(size.width, size.bytes);
            // How the rows of an array lie is the driver's business.
            if (buffer->kind != BufferKind::Array)
                access.rows = rowsOf(
                    access.sizeBytes,
                    {size.count, place.pitch, std::max<std::int64_t>(size.slices, 1), place.slicePitch});
        }
        access.bufferId = place.buffer;
        access.offset = place.offset;
        access.mayWrite = isWrite;
        access.mayRead = !isWrite;
        m_take(access);
    }

    static Size readSize(RowReader& row) {
        Size size;
        row.readBytes(size.bytes);
        row.readBytes(size.width);
        row.read(size.count);
        return size;
    }

    Status readCopies() {
        return readRows(m_connection, m_names, "copies",
                        "SELECT enter_ns, exit_ns, process_id, thread_id, stream_id, stack_id, api, bytes, "
                        "width_bytes, rows, slices, src_buffer_id, src_offset, src_pitch, src_slice_pitch, "
                        "dst_buffer_id, dst_offset, dst_pitch, dst_slice_pitch FROM copies WHERE result = 0",
                        [&](RowReader& row) {
                            Access access;
                            Place source, destination;
                            readCommon(row, access);
                            row.read(access.what);
                            Size size = readSize(row);
                            row.read(size.slices);
                            row.read(source.buffer, source.offset, source.pitch, source.slicePitch);
                            row.read(destination.buffer, destination.offset, destination.pitch,
                                     destination.slicePitch);
                            nameTask(access);
                            give(access, size, source, false);
                            give(access, size, destination, true);
                        });
    }

    Status readSets() {
        return readRows(m_connection, m_names, "sets",
                        "SELECT enter_ns, exit_ns, process_id, thread_id, stream_id, stack_id, api, bytes, "
                        "width_bytes, rows, dst_buffer_id, dst_offset, pitch FROM sets WHERE result = 0",
                        [&](RowReader& row) {
                            Access access;
                            Place place;
                            readCommon(row, access);
                            row.read(access.what);
                            const Size size = readSize(row);
                            row.read(place.buffer, place.offset, place.pitch);
                            nameTask(access);
                            give(access, size, place, true);
                        });
    }

    /// Launches whose accesses were seen: their arguments say nothing more.
    Status readExactLaunches() {
        VRAMSCOPE_RETURN_IF_ERROR(readRows(m_connection, m_names, "exact_launches",
                                           "SELECT process_id, thread_id, enter_ns FROM exact_launches",
                                           [&](RowReader& row) {
                                               ProcessId process;
                                               ThreadId thread;
                                               std::int64_t enterNs = 0;
                                               row.read(process, thread);
                                               row.readTime(enterNs);
                                               m_exactLaunches.insert({process.value, thread.value, enterNs});
                                           }));
        if (m_exactLaunches.empty()) return Status::ok();
        VRAMSCOPE_ASSIGN_OR_RETURN(const CodePlaceSql places, codePlaceSql(m_connection));
        return readRows(
            m_connection, m_names, "exact_accesses",
            "SELECT l.enter_ns, l.exit_ns, l.process_id, l.thread_id, l.stream_id, l.stack_id, k.name, "
            "a.kind, "
            "a.size_bytes, a.buffer_id, a.buffer_offset, " +
                places.columns +
                " FROM exact_accesses a JOIN exact_launches l "
                "USING (exact_launch_id) LEFT JOIN kernels k USING (kernel_id)" +
                places.joins + " WHERE a.buffer_id IS NOT NULL",
            [&](RowReader& row) {
                Access access;
                std::string_view kind;
                Size size;
                Place place;
                readCommon(row, access);
                row.read(access.what, kind);
                row.readBytes(size.bytes);
                row.read(place.buffer, place.offset, access.firstPlace, access.lastPlace);
                nameTask(access);
                access.isLaunch = access.isInstrumented = true;
                give(access, size, place, kind == "write");
            });
    }

    Status readLaunches() {
        return readRows(m_connection, m_names, "launches",
                        "SELECT enter_ns, exit_ns, process_id, thread_id, stream_id, stack_id, kernel_id, "
                        "argument_set_id FROM launches WHERE result = 0 AND argument_set_id IS NOT NULL",
                        [&](RowReader& row) {
                            Access access;
                            std::int64_t kernel = 0;
                            std::int64_t set = 0;
                            readCommon(row, access);
                            row.read(kernel, set);
                            if (m_exactLaunches.contains(
                                    {access.processId.value, access.threadId.value, access.enterNs})) {
                                return;
                            }
                            nameTask(access);
                            addLaunch(access, kernel, set);
                        });
    }

    void addLaunch(const Access& access, std::int64_t kernel, std::int64_t set) {
        const auto& changes = m_capture.ownershipChanges;
        const auto epoch = std::upper_bound(changes.begin(), changes.end(), access.enterNs,
                                            [](std::int64_t timeNs, const OwnershipChange& change) {
                                                return timeNs < change.timeNs;
                                            }) -
                           changes.begin();
        const LaunchKey key{set, kernel, access.taskId, access.basis, epoch, access.streamId, access.stackId};
        const auto found = m_launches.find(key);
        if (found != m_launches.end()) {
            ++found->second.callCount;
            found->second.lastNs = std::max(found->second.lastNs, access.enterNs);
            found->second.enterNs = std::min(found->second.enterNs, access.enterNs);
        } else if (m_launches.size() < kMostAccesses) {
            m_launches.emplace(key, access).first->second.isLaunch = true;
        } else {
            m_isWhole = false;
        }
    }

    Status readKernelNames() {
        if (m_launches.empty()) return Status::ok();
        return readRows(m_connection, m_names, "kernels", "SELECT kernel_id, name FROM kernels",
                        [&](RowReader& row) {
                            std::int64_t id = 0;
                            std::string_view name;
                            row.read(id, name);
                            m_kernels.emplace(id, Kernel{name, KernelParameters(name)});
                        });
    }

    /// Sets come in the order of their numbers, as the launches are kept.
    Status readArguments() {
        if (m_launches.empty()) return Status::ok();
        return readRows(
            m_connection, m_names, "launch_arguments",
            "SELECT argument_set_id, parameter_offset, buffer_id, \"offset\" FROM launch_arguments "
            "WHERE buffer_id IS NOT NULL",
            [&](RowReader& row) {
                std::int64_t set = 0, parameter = 0, offset = 0;
                BufferId buffer;
                row.read(set, parameter, buffer, offset);
                giveArgument(set, parameter, buffer, offset);
            });
    }

    void giveArgument(std::int64_t set, std::int64_t parameter, BufferId id, std::int64_t offset) const {
        const Buffer* buffer = m_capture.buffers.find(id);
        if (buffer == nullptr || offset < 0 || offset >= buffer->sizeBytes) return;
        constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
        auto at = m_launches.lower_bound(LaunchKey{set, kFirst, TaskId{kFirst}, TaskBasis::Process,
                                                   std::numeric_limits<std::ptrdiff_t>::min(),
                                                   StreamId{kFirst}, StackId{kFirst}});
        for (; at != m_launches.end() && std::get<0>(at->first) == set; ++at) {
            Access access = at->second;
            access.bufferId = id;
            access.offset = offset;
            access.sizeBytes = buffer->sizeBytes - offset;
            if (const auto kernel = m_kernels.find(std::get<1>(at->first)); kernel != m_kernels.end()) {
                access.what = kernel->second.name;
                access.isReadOnly = kernel->second.parameters.isPointerToConst(parameter);
            }
            access.mayRead = true;
            access.mayWrite = !access.isReadOnly;
            m_take(access);
        }
    }

    struct Kernel {
        std::string_view name;
        KernelParameters parameters;
    };

    formats::Connection& m_connection;
    const Capture& m_capture;
    StringPool& m_names;
    const Take& m_take;
    TaskTimeline m_tasks;
    std::map<LaunchKey, Access> m_launches;
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>>
        m_exactLaunches;  ///< process, thread, enterNs
    std::unordered_map<std::int64_t, Kernel> m_kernels;
    bool m_isWhole = true;
};

}  // namespace

StatusOr<bool> forEachAccess(formats::Connection& connection, const Capture& capture, StringPool& names,
                             const Take& take) {
    return AccessReader(connection, capture, names, take).read();
}

StatusOr<AccessList> loadAccesses(formats::Connection& connection, const Capture& capture,
                                  const std::function<bool(BufferId)>& wants) {
    AccessList list;
    list.names = std::make_shared<StringPool>();
    bool hasRoom = true;
    VRAMSCOPE_ASSIGN_OR_RETURN(const bool isWhole,
                               forEachAccess(connection, capture, *list.names, [&](const Access& access) {
                                   if (!wants(access.bufferId)) return;
                                   hasRoom = list.accesses.size() < kMostAccesses;
                                   if (hasRoom) list.accesses.push_back(access);
                               }));
    list.isWhole = isWhole && hasRoom;
    std::stable_sort(list.accesses.begin(), list.accesses.end(),
                     [](const Access& a, const Access& b) { return a.enterNs < b.enterNs; });
    return list;
}

}  // namespace vramscope::model
