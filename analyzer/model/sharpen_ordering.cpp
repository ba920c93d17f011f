// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

/// Bytes that a kernel touched in no live memory: the first and the last surely.
struct Outside {
    ProcessId processId;
    std::int64_t address = 0;
    std::int64_t sizeBytes = 0;
    bool isWrite = false;
};
using OutsideByLaunch = std::multimap<std::pair<ThreadId, std::int64_t>, Outside>;

bool holds(const Buffer& buffer, std::int64_t address) {
    return address >= buffer.address && address - buffer.address < buffer.sizeBytes;
}

bool isTouched(const Buffer& buffer, const Outside& outside) {
    return outside.processId == buffer.processId &&
           (holds(buffer, outside.address) || holds(buffer, outside.address + outside.sizeBytes - 1));
}

}  // namespace

Status sharpenOrdering(formats::Connection& connection, Capture& capture) {
    const auto rests = [](const OrderingConflict& conflict) {
        return conflict.kind == ConflictKind::AfterFree && conflict.restsOnArgument;
    };
    if (std::none_of(capture.ordering.conflicts.begin(), capture.ordering.conflicts.end(), rests))
        return Status::ok();
    OutsideByLaunch outsides;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(
        connection, capture.strings, "exact_accesses",
        "SELECT l.process_id, l.thread_id, l.enter_ns, a.address, a.size_bytes, a.kind FROM exact_accesses a "
        "JOIN exact_launches l USING (exact_launch_id) WHERE a.is_outside = 1 AND a.size_bytes > 0 LIMIT "
        "1000000",
        [&](RowReader& row) {
            Outside outside;
            ThreadId thread;
            std::int64_t enterNs = 0;
            std::string_view kind;
            row.read(outside.processId, thread);
            row.readTime(enterNs);
            row.read(outside.address);
            row.readBytes(outside.sizeBytes);
            row.read(kind);
            outside.isWrite = kind == "write";
            outsides.emplace(std::pair(thread, enterNs), outside);
        }));
    for (OrderingConflict& conflict : capture.ordering.conflicts) {
        const Buffer* buffer = rests(conflict) ? capture.buffers.find(conflict.bufferId) : nullptr;
        if (buffer == nullptr) continue;
        const auto [first, last] = outsides.equal_range({conflict.later.threadId, conflict.later.enterNs});
        for (auto at = first; at != last; ++at) {
            if (!isTouched(*buffer, at->second)) continue;
            conflict.restsOnArgument = false;
            conflict.isSeenOfKernel = true;
        }
    }
    return Status::ok();
}

}  // namespace vramscope::model
