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

    /// One side of a copy, or what a set wrote. Of one with rows the first stands for all.
    void give(Access access, BufferId buffer, std::int64_t offset, bool isWrite) const {
        if (buffer.isNone() || offset < 0 || access.sizeBytes <= 0) return;
        access.bufferId = buffer;
        access.offset = offset;
        access.mayWrite = isWrite;
        access.mayRead = !isWrite;
        m_take(access);
    }

    static void readSize(RowReader& row, Access& access) {
        std::int64_t width = 0;
        std::int64_t rows = 0;
        row.readBytes(access.sizeBytes);
        row.readBytes(width);
        row.read(rows);
        if (width > 0 && rows > 0) access.sizeBytes = std::min(width, access.sizeBytes);
    }

    Status readCopies() {
        return readRows(m_connection, m_names, "copies",
                        "SELECT enter_ns, exit_ns, process_id, thread_id, stream_id, stack_id, api, bytes, "
                        "width_bytes, rows, src_buffer_id, src_offset, dst_buffer_id, dst_offset FROM copies "
                        "WHERE result = 0",
                        [&](RowReader& row) {
                            Access access;
                            BufferId source, destination;
                            std::int64_t sourceOffset = 0, destinationOffset = 0;
                            readCommon(row, access);
                            row.read(access.what);
                            readSize(row, access);
                            row.read(source, sourceOffset, destination, destinationOffset);
                            nameTask(access);
                            give(access, source, sourceOffset, false);
                            give(access, destination, destinationOffset, true);
                        });
    }

    Status readSets() {
        return readRows(m_connection, m_names, "sets",
                        "SELECT enter_ns, exit_ns, process_id, thread_id, stream_id, stack_id, api, bytes, "
                        "width_bytes, rows, dst_buffer_id, dst_offset FROM sets WHERE result = 0",
                        [&](RowReader& row) {
                            Access access;
                            BufferId buffer;
                            std::int64_t offset = 0;
                            readCommon(row, access);
                            row.read(access.what);
                            readSize(row, access);
                            row.read(buffer, offset);
                            nameTask(access);
                            give(access, buffer, offset, true);
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
        return readRows(
            m_connection, m_names, "exact_accesses",
            "SELECT l.enter_ns, l.exit_ns, l.process_id, l.thread_id, l.stream_id, l.stack_id, k.name, "
            "a.kind, "
            "a.size_bytes, a.buffer_id, a.buffer_offset FROM exact_accesses a JOIN exact_launches l "
            "USING (exact_launch_id) LEFT JOIN kernels k USING (kernel_id) WHERE a.buffer_id IS NOT NULL",
            [&](RowReader& row) {
                Access access;
                std::string_view kind;
                BufferId buffer;
                std::int64_t offset = 0;
                readCommon(row, access);
                row.read(access.what, kind);
                row.readBytes(access.sizeBytes);
                row.read(buffer, offset);
                nameTask(access);
                access.isLaunch = access.isInstrumented = true;
                give(access, buffer, offset, kind == "write");
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
