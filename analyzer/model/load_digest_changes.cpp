// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/load_tables.h"
#include "analyzer/model/named_launch.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

/// Changes that are told apart; a capture with more shows the first ones.
constexpr std::size_t kMostChanges = 5000;

}  // namespace

Status loadDigestChanges(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(
        readRows(connection, capture.strings, "digest_changes",
                 "SELECT process_id, address, alloc_ns, thread_id, launch_ns, from_ns, to_ns"
                 " FROM digest_changes ORDER BY launch_ns LIMIT " +
                     std::to_string(kMostChanges),
                 [&](RowReader& row) {
                     DigestChange& change = capture.digestChanges.emplace_back();
                     row.read(change.processId, change.address);
                     row.readTime(change.allocNs);
                     row.read(change.threadId);
                     row.readTime(change.launchNs);
                     row.readTime(change.fromNs);
                     row.readTime(change.toNs);
                 }));
    for (DigestChange& change : capture.digestChanges) {
        change.bufferId = bufferBornAt(capture, change.processId, change.address, change.allocNs);
        VRAMSCOPE_ASSIGN_OR_RETURN(
            change.launch, launchAt(connection, capture, change.processId, change.threadId, change.launchNs));
    }
    return Status::ok();
}

}  // namespace vramscope::model
