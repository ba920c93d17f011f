// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/named_launch.h"

#include <fmt/format.h>

#include "analyzer/model/row_reader.h"

namespace vramscope::model {

BufferId bufferBornAt(const Capture& capture, ProcessId process, std::int64_t address, std::int64_t allocNs) {
    const Buffer* best = nullptr;
    for (const Buffer& buffer : capture.buffers) {
        if (buffer.processId != process || buffer.address != address) continue;
        if (buffer.allocNs > allocNs + kClockSlackNs) continue;
        if (best == nullptr || buffer.allocNs > best->allocNs) best = &buffer;
    }
    return best != nullptr ? best->id : BufferId{};
}

StatusOr<WatchedLaunch> launchAt(formats::Connection& connection, Capture& capture, ProcessId process,
                                 ThreadId thread, std::int64_t launchNs) {
    WatchedLaunch launch;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(
        connection, capture.strings, "launches",
        fmt::format(
            "SELECT enter_ns, exit_ns, thread_id, stream_id, stack_id, coalesce(k.name, '') FROM launches"
            " LEFT JOIN kernels k USING (kernel_id) WHERE enter_ns BETWEEN {} AND {}"
            " AND launches.process_id = {} AND thread_id = {} ORDER BY abs(enter_ns - {}) LIMIT 1",
            launchNs - kClockSlackNs, launchNs + kClockSlackNs, process.value, thread.value, launchNs),
        [&](RowReader& row) {
            row.readTime(launch.enterNs);
            row.readTime(launch.exitNs);
            row.read(launch.threadId, launch.streamId, launch.stackId, launch.kernel);
        }));
    return launch;
}

}  // namespace vramscope::model
