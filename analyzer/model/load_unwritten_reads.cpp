// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/model/access.h"
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

/// What is known of the first uses of one buffer.
struct FirstUses {
    Access read;  ///< by a kernel that was seen; of no buffer while there is none
    std::int64_t writeNs = kNever;
};

StatusOr<std::unordered_set<std::int64_t>> idsIn(formats::Connection& connection, Capture& capture,
                                                 const char* table, const char* sql) {
    std::unordered_set<std::int64_t> ids;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, table, sql, [&](RowReader& row) {
        std::int64_t id = 0;
        row.read(id);
        ids.insert(id);
    }));
    return ids;
}

}  // namespace

Status loadUnwrittenReads(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_ASSIGN_OR_RETURN(auto seen, idsIn(connection, capture, "exact_launches",
                                                "SELECT DISTINCT process_id FROM exact_launches"));
    if (seen.empty()) return Status::ok();
    // Where any work may have written unseen, nothing is said.
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto unseen,
                               idsIn(connection, capture, "notes",
                                     "SELECT process_id FROM notes WHERE process_id IS NOT NULL AND "
                                     "code = 'exact-accesses' AND severity = 'warning'"));
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto withGraphs, idsIn(connection, capture, "graphs",
                                                            "SELECT DISTINCT process_id FROM graphs"));
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto shared,
                               idsIn(connection, capture, "ipc_handles",
                                     "SELECT buffer_id FROM ipc_handles WHERE buffer_id IS NOT NULL"));
    std::erase_if(seen, [&](std::int64_t id) { return unseen.contains(id) || withGraphs.contains(id); });

    auto names = std::make_shared<StringPool>();
    std::unordered_map<std::int64_t, FirstUses> uses;
    VRAMSCOPE_ASSIGN_OR_RETURN(
        const bool isWhole, forEachAccess(connection, capture, *names, [&](const Access& access) {
            FirstUses& first = uses[access.bufferId.value];
            if (access.mayWrite) first.writeNs = std::min(first.writeNs, access.enterNs);
            const bool isFirstRead = first.read.bufferId.isNone() || access.enterNs < first.read.enterNs;
            if (access.isInstrumented && access.mayRead && isFirstRead) first.read = access;
        }));
    if (!isWhole) return Status::ok();
    capture.unwrittenReads.names = names;
    for (const auto& [id, first] : uses) {
        const Buffer* buffer = capture.buffers.find(BufferId{id});
        if (buffer == nullptr || first.read.bufferId.isNone() || !seen.contains(buffer->processId.value))
            continue;
        if (buffer->kind != BufferKind::Device && buffer->kind != BufferKind::Async) continue;
        if (shared.contains(id) || first.writeNs <= first.read.exitNs) continue;
        capture.unwrittenReads.accesses.push_back(first.read);
    }
    std::sort(capture.unwrittenReads.accesses.begin(), capture.unwrittenReads.accesses.end(),
              [](const Access& a, const Access& b) { return a.enterNs < b.enterNs; });
    return Status::ok();
}

}  // namespace vramscope::model
