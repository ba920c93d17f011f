// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/model/load_tables.h"
#include "analyzer/model/row_reader.h"

namespace vramscope::model {

Status loadCodeArrival(formats::Connection& connection, Capture& capture) {
    VRAMSCOPE_RETURN_IF_ERROR(readRows(connection, capture.strings, "gpu_modules",
                                       "SELECT process_id, load_ns FROM gpu_modules", [&](RowReader& row) {
                                           ProcessId process;
                                           std::int64_t timeNs = 0;
                                           row.read(process);
                                           row.readTime(timeNs);
                                           capture.codeArrivalNs[process].push_back(timeNs);
                                       }));
    if (capture.activityIsWhole && !capture.activity.empty()) {
        VRAMSCOPE_RETURN_IF_ERROR(
            readRows(connection, capture.strings, "launches",
                     "SELECT process_id, min(enter_ns) FROM launches GROUP BY process_id, kernel_id",
                     [&](RowReader& row) {
                         ProcessId process;
                         std::int64_t timeNs = 0;
                         row.read(process);
                         row.readTime(timeNs);
                         capture.codeArrivalNs[process].push_back(timeNs);
                     }));
    }
    for (auto& [process, timesNs] : capture.codeArrivalNs)
        std::sort(timesNs.begin(), timesNs.end());
    return Status::ok();
}

}  // namespace vramscope::model
