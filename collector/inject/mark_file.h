// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/config.h"

namespace vramscope::collector {

/// Tells the recorder of a process that has no ring: leaves a file in the session that is the first page of
/// an arena and nothing more, with `reason` in it. Tries the session's folder for marks, which is open to
/// every user of the machine, then the others. Cold; not thread-safe.
void leaveMark(const Config& config, const char* reason);

}  // namespace vramscope::collector
