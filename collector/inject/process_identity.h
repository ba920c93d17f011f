// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formats/arena.h"

namespace vramscope::collector {

/// Fills in who this process is: pid, parent, start ticks, executable, command line with likely secrets
/// blanked, and the rank that a distributed launcher gave it. Cold; makes system calls.
void describeProcess(formats::ArenaHeader& header);

}  // namespace vramscope::collector
