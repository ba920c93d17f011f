// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/sim/driver_table.h"

namespace vramscope::sim {

/// The user data that the tool's callback gave the launch in progress on this thread; null resets it.
void setLaunchData(const void* data);
/// The patch that modules get for plain accesses, with the data set meanwhile.
LaunchPatch patchWithData();

}  // namespace vramscope::sim
