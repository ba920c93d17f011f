// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/model/amounts.h"
#include "analyzer/model/ids.h"

/// Rows of a capture about what processes give each other; formats/schema.sql says what each column means.
namespace vramscope::model {

using IpcHandleId = Id<struct IpcHandleTag>;
using IpcImportId = Id<struct IpcImportTag>;

struct IpcHandle {
    IpcHandleId id;
    ProcessId processId;
    std::string_view kind;
    BufferId bufferId;  ///< of kinds 'memory' and 'pool-pointer'
    HandleId handleId;  ///< of kind 'vmm'
    std::int64_t getNs = 0;
    StackId stackId;
};

struct IpcImport {
    IpcImportId id;
    ProcessId processId;
    std::string_view kind;
    IpcHandleId handleId;  ///< none when no process of this capture gave it
    std::string_view matchedBy;
    BufferId bufferId;
    HandleId physicalId;  ///< the importer's handle, of kind 'vmm'

    /// False where whose memory it is was guessed.
    bool isMatchSure() const { return matchedBy == "bytes" || matchedBy == "descriptor"; }
    std::int64_t openNs = 0;
    StackId stackId;
    std::int64_t closeNs = kNever;
};

}  // namespace vramscope::model
