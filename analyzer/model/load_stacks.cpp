// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {

Status loadStacks(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(
        loadTable(connection, capture.strings, capture.modules, "modules", "module_id, process_id, path",
                  [](RowReader& row, Module& m) { row.read(m.id, m.processId, m.path); }));
    VRAMSCOPE_RETURN_IF_ERROR(loadTable(
        connection, capture.strings, capture.frames, "frames",
        "frame_id, address, module_id, module_offset, function, file, line, inlined",
        [](RowReader& row, Frame& f) {
            row.read(f.id, f.address, f.moduleId, f.moduleOffset, f.function, f.file, f.line, f.inlinedJson);
        }));
    return loadTable(connection, capture.strings, capture.stacks, "stacks",
                     "stack_id, parent_stack_id, frame_id",
                     [](RowReader& row, Stack& s) { row.read(s.id, s.parentId, s.frameId); });
}

}  // namespace vramscope::model
