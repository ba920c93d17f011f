// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {

Status loadSharing(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(
        loadTable(connection, capture.strings, capture.ipcHandles, "ipc_handles",
                  "ipc_handle_id, process_id, kind, buffer_id, handle_id, get_ns, stack_id",
                  [](RowReader& row, IpcHandle& h) {
                      row.read(h.id, h.processId, h.kind, h.bufferId, h.handleId);
                      row.readTime(h.getNs);
                      row.read(h.stackId);
                  }));
    return loadTable(
        connection, capture.strings, capture.ipcImports, "ipc_imports",
        "ipc_import_id, process_id, kind, ipc_handle_id, matched_by, buffer_id, handle_id, open_ns,"
        " stack_id, close_ns",
        [](RowReader& row, IpcImport& i) {
            row.read(i.id, i.processId, i.kind, i.handleId, i.matchedBy, i.bufferId, i.physicalId);
            row.readTime(i.openNs);
            row.read(i.stackId);
            row.readTime(i.closeNs);
        });
}

}  // namespace vramscope::model
