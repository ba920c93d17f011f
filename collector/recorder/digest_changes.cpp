// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/digest_changes.h"

#include <fmt/format.h>

#include "collector/recorder/or_null.h"
#include "collector/recorder/work_call.h"

namespace vramscope::collector {

void addDigestChange(ProcessScope& scope, IdentityTables& identities, const ResolvedCall& call) {
    const formats::WorkCall* launch = workCallOf(call);
    if (launch == nullptr) return;
    CaptureSink& sink = scope.sink;
    // The stream is named as the launching thread named it.
    ResolvedCall named = call;
    named.threadId = identities.threadOf(static_cast<std::uint32_t>(launch->tid));
    const std::int64_t stream =
        identities.streamOf(named, named.streamMeantBy(launch->stream), launch->enterTicks);
    const formats::DigestChangePayload& change = call.record.digestChange;
    sink.run(
        "INSERT INTO digest_changes(digest_change_id, process_id, address, alloc_ns, stream_id, thread_id, "
        "launch_ns, from_ns, to_ns) VALUES(?,?,?,?,?,?,?,?,?)",
        sink.nextId("digest_changes"), scope.processId, static_cast<std::int64_t>(change.address),
        sink.sessionTime(change.allocTicks), orNull(stream), orNull(named.threadId),
        sink.sessionTime(launch->enterTicks), sink.sessionTime(launch->fromTicks),
        sink.sessionTime(launch->toTicks));
}

void noteWatching(CaptureSink& sink, const formats::ArenaHeader& header, std::int64_t processId,
                  std::uint64_t nowTicks) {
    const auto count = [](const std::atomic<std::uint64_t>& counter) {
        return counter.load(std::memory_order_relaxed);
    };
    const std::uint64_t unwatched = count(header.unwatchedBuffers);
    if (count(header.watchedBuffers) + unwatched == 0) return;
    std::string text = fmt::format("{} buffers were watched, and digests taken around {} launches of others.",
                                   count(header.watchedBuffers), count(header.watchedCalls));
    if (unwatched > 0) text += fmt::format(" {} more could not be watched.", unwatched);
    if (count(header.unwatchedCalls) > 0)
        text += fmt::format(" {} launches went without.", count(header.unwatchedCalls));
    if (count(header.untoldChanges) > 0)
        text += fmt::format(" {} changes of buffers that had changed often were not kept.",
                            count(header.untoldChanges));
    sink.addNote(nowTicks, processId, "info", "watch", text);
}

}  // namespace vramscope::collector
