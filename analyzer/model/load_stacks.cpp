// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {
namespace {

Status loadModules(formats::Connection& connection, Capture& capture) {
    std::vector<Module> rows;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, "modules",
                                       "SELECT module_id, process_id, path FROM modules",
                                       [&](RowReader& row) {
                                           Module& m = rows.emplace_back();
                                           row.read(m.id);
                                           row.read(m.processId);
                                           row.read(m.path);
                                       }));
    capture.modules = Table<Module, ModuleId>(std::move(rows));
    return Status::ok();
}

Status loadFrames(formats::Connection& connection, Capture& capture) {
    std::vector<Frame> rows;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(
        connection, capture.strings, "frames",
        "SELECT frame_id, address, module_id, module_offset, function, file, line, inlined FROM frames",
        [&](RowReader& row) {
            Frame& f = rows.emplace_back();
            row.read(f.id);
            row.read(f.address);
            row.read(f.moduleId);
            row.read(f.moduleOffset);
            row.read(f.function);
            row.read(f.file);
            row.read(f.line);
            row.read(f.inlinedJson);
        }));
    capture.frames = Table<Frame, FrameId>(std::move(rows));
    return Status::ok();
}

}  // namespace

Status loadStacks(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(loadModules(connection, capture));
    VRAMSCOPE_RETURN_IF_ERROR(loadFrames(connection, capture));
    std::vector<Stack> rows;
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, "stacks",
                                       "SELECT stack_id, parent_stack_id, frame_id FROM stacks",
                                       [&](RowReader& row) {
                                           Stack& s = rows.emplace_back();
                                           row.read(s.id);
                                           row.read(s.parentId);
                                           row.read(s.frameId);
                                       }));
    capture.stacks = Table<Stack, StackId>(std::move(rows));
    return Status::ok();
}

}  // namespace vramscope::model
