// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
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
    OrderedSide launch;

    std::int64_t lastAddress() const { return address + sizeBytes - 1; }
};
using LaunchKey = std::pair<ThreadId, std::int64_t>;  ///< thread and enterNs
using OutsideByLaunch = std::multimap<LaunchKey, Outside>;

/// Launches that are looked at one by one: enough to tell of a fault.
constexpr std::size_t kMostOutside = 10'000;

bool holds(const Buffer& buffer, std::int64_t address) {
    return address >= buffer.address && address - buffer.address < buffer.sizeBytes;
}

bool isTouched(const Buffer& buffer, const Outside& outside) {
    return outside.processId == buffer.processId &&
           (holds(buffer, outside.address) || holds(buffer, outside.lastAddress()));
}

StatusOr<OutsideByLaunch> readOutside(formats::Connection& connection, Capture& capture) {
    OutsideByLaunch outsides;
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "exact_accesses",
                 "SELECT l.process_id, l.thread_id, l.stream_id, l.stack_id, l.kernel_id, k.name, "
                 "l.enter_ns, a.address, "
                 "a.size_bytes FROM exact_accesses a JOIN exact_launches l USING (exact_launch_id) LEFT JOIN "
                 "kernels k "
                 "USING (kernel_id) WHERE a.is_outside = 1 AND a.size_bytes > 0 ORDER BY l.enter_ns LIMIT " +
                     std::to_string(kMostOutside),
                 [&](RowReader& row) {
                     Outside outside;
                     OrderedSide& launch = outside.launch;
                     launch.action = OrderedAction::Launch;
                     row.read(outside.processId, launch.threadId, launch.streamId, launch.stackId,
                              launch.kernelId, launch.call);
                     row.readTime(launch.enterNs);
                     row.read(outside.address);
                     row.readBytes(outside.sizeBytes);
                     outsides.emplace(LaunchKey(launch.threadId, launch.enterNs), outside);
                 }));
    return outsides;
}

/// The addresses that these launches were given and that were no live buffer's.
Status readStrayArguments(formats::Connection& connection, Capture& capture, const OutsideByLaunch& outsides,
                          std::multimap<LaunchKey, std::int64_t>& arguments) {
    constexpr std::size_t kMostSets = 1'000'000;
    std::multimap<std::int64_t, std::int64_t> addressesOf;  // by set
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "launch_arguments",
                 "SELECT argument_set_id, \"offset\" FROM launch_arguments WHERE buffer_id IS NULL",
                 [&](RowReader& row) {
                     std::int64_t set = 0, address = 0;
                     row.read(set, address);
                     if (addressesOf.size() < kMostSets) addressesOf.emplace(set, address);
                 }));
    if (addressesOf.empty()) return Status::ok();
    return readRows(connection, capture.strings, "launches",
                    "SELECT thread_id, enter_ns, argument_set_id FROM launches WHERE result = 0 AND "
                    "argument_set_id IS NOT NULL",
                    [&](RowReader& row) {
                        ThreadId thread;
                        std::int64_t enterNs = 0, set = 0;
                        row.read(thread);
                        row.readTime(enterNs);
                        row.read(set);
                        if (!outsides.contains({thread, enterNs})) return;
                        const auto [first, last] = addressesOf.equal_range(set);
                        for (auto at = first; at != last; ++at)
                            arguments.emplace(LaunchKey(thread, enterNs), at->second);
                    });
}

/// The plain buffer that lay there and had been freed, if nothing lives there now.
const Buffer* deadAt(const Capture& capture, const Outside& outside) {
    const Buffer* dead = nullptr;
    for (const Buffer& buffer : capture.buffers) {
        if (!isTouched(buffer, outside)) continue;
        if (buffer.isLiveAt(outside.launch.enterNs)) return nullptr;
        const bool isEnded =
            buffer.kind == BufferKind::Device && buffer.wasFreed() && buffer.freeNs <= outside.launch.enterNs;
        if (isEnded && (dead == nullptr || buffer.freeNs > dead->freeNs)) dead = &buffer;
    }
    return dead;
}

void addConflict(Capture& capture, const Outside& outside, const Buffer& buffer) {
    for (OrderingConflict& known : capture.ordering.conflicts) {
        if (known.isSeenOfKernel && known.bufferId == buffer.id && known.later.call == outside.launch.call) {
            ++known.count;
            return;
        }
    }
    OrderingConflict& conflict = capture.ordering.conflicts.emplace_back();
    conflict.kind = ConflictKind::AfterFree;
    conflict.processId = buffer.processId;
    conflict.bufferId = buffer.id;
    conflict.buffers = {buffer.id};
    conflict.earlier.action = OrderedAction::Free;
    conflict.earlier.processId = buffer.processId;
    conflict.earlier.call = buffer.freeApi;
    conflict.earlier.stackId = buffer.freeStackId;
    conflict.earlier.enterNs = buffer.freeNs;
    conflict.later = outside.launch;
    conflict.later.processId = outside.processId;
    conflict.isSeenOfKernel = true;
}

}  // namespace

Status sharpenOrdering(formats::Connection& connection, Capture& capture) {
    if (!capture.ordering.isJudged) return Status::ok();
    VRAMSCOPE_ASSIGN_OR_RETURN(const OutsideByLaunch outsides, readOutside(connection, capture));
    if (outsides.empty()) return Status::ok();
    for (OrderingConflict& conflict : capture.ordering.conflicts) {
        const bool rests = conflict.kind == ConflictKind::AfterFree && conflict.restsOnArgument;
        const Buffer* buffer = rests ? capture.buffers.find(conflict.bufferId) : nullptr;
        if (buffer == nullptr) continue;
        const auto [first, last] = outsides.equal_range({conflict.later.threadId, conflict.later.enterNs});
        for (auto at = first; at != last; ++at) {
            if (!isTouched(*buffer, at->second)) continue;
            conflict.restsOnArgument = false;
            conflict.isSeenOfKernel = true;
        }
    }
    // Plain memory goes back to the driver, which may use it for itself: so only what the kernel was given a
    // pointer to and touched is told of.
    std::multimap<LaunchKey, std::int64_t> arguments;
    VRAMSCOPE_RETURN_IF_ERROR(readStrayArguments(connection, capture, outsides, arguments));
    for (const auto& [key, outside] : outsides) {
        const auto [first, last] = arguments.equal_range(key);
        if (first == last) continue;
        const Buffer* buffer = deadAt(capture, outside);
        if (buffer == nullptr) continue;
        const bool isGiven =
            std::any_of(first, last, [&](const auto& argument) { return holds(*buffer, argument.second); });
        if (isGiven) addConflict(capture, outside, *buffer);
    }
    return Status::ok();
}

}  // namespace vramscope::model
