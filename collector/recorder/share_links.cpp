// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/share_links.h"

namespace vramscope::collector {

namespace {

// The handle of an allocation has the same bytes each time and others after it was freed: the latest that was
// given before the import returned is the one.
constexpr const char* kByBytes =
    "UPDATE ipc_imports SET matched_by='bytes', ipc_handle_id = (SELECT h.ipc_handle_id FROM ipc_handles h "
    "WHERE h.handle_hash = ipc_imports.handle_hash AND h.kind = ipc_imports.kind AND h.get_ns <= "
    "ipc_imports.open_ns ORDER BY h.get_ns DESC LIMIT 1) "
    "WHERE ipc_handle_id IS NULL AND EXISTS (SELECT 1 FROM ipc_handles h WHERE h.handle_hash = "
    "ipc_imports.handle_hash AND h.kind = ipc_imports.kind AND h.get_ns <= ipc_imports.open_ns)";

// The n-th import of a size that is left goes to the n-th handle of that size that is left, if it was given
// before.
constexpr const char* kBySizeAndOrder =
    "WITH i AS (SELECT m.ipc_import_id, m.kind, m.open_ns, m.process_id, coalesce(v.size_bytes, 0) AS size, "
    "row_number() OVER (PARTITION BY m.kind, coalesce(v.size_bytes, 0) ORDER BY m.open_ns) AS n "
    "FROM ipc_imports m LEFT JOIN vmm_handles v ON v.handle_id = m.handle_id "
    "WHERE m.ipc_handle_id IS NULL AND m.descriptor IS NOT NULL), "
    "h AS (SELECT g.ipc_handle_id, g.kind, g.get_ns, g.process_id, coalesce(v.size_bytes, 0) AS size, "
    "row_number() OVER (PARTITION BY g.kind, coalesce(v.size_bytes, 0) ORDER BY g.get_ns) AS n "
    "FROM ipc_handles g LEFT JOIN vmm_handles v ON v.handle_id = g.handle_id "
    "WHERE g.descriptor IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ipc_imports t WHERE t.ipc_handle_id = "
    "g.ipc_handle_id)), "
    "pairs AS (SELECT i.ipc_import_id, h.ipc_handle_id FROM i JOIN h ON h.kind = i.kind AND h.size = i.size "
    "AND h.n = i.n AND h.get_ns <= i.open_ns AND h.process_id <> i.process_id) "
    "UPDATE ipc_imports SET matched_by='size-and-order', ipc_handle_id = (SELECT p.ipc_handle_id FROM pairs "
    "p WHERE p.ipc_import_id = ipc_imports.ipc_import_id) "
    "WHERE ipc_import_id IN (SELECT ipc_import_id FROM pairs)";

}  // namespace

Status linkShares(formats::Connection& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(capture.exec(kByBytes));
    return capture.exec(kBySizeAndOrder);
}

}  // namespace vramscope::collector
