// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "samples/sim/entry_point.h"

namespace vramscope::sim {

const ExportedFunction* firstExportedFunction();

/// What cuGetProcAddress finds for a name without version suffix: the newest version of it that `cudaVersion`
/// knows, in its per-thread-default-stream variant if that is asked for and exists. Null when there is none.
void* findExportedFunction(std::string_view name, int cudaVersion, bool perThreadStream);

}  // namespace vramscope::sim
