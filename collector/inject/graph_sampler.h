// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/call_table.h"

namespace vramscope::collector {

/// A node that allocates memory was made: from now on graph memory is worth reading.
void noteGraphMemory();
bool usesGraphMemory();

/// Writes what the graphs of each device hold, as far as graphs were instantiated there. Two queries a
/// device. Not while a capture is open.
void sampleGraphMemory(Call& call);

/// A graph was instantiated for the current context's device.
void noteGraphDevice();

}  // namespace vramscope::collector
