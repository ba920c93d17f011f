// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/sim/driver_table.h"

namespace vramscope::sim {

/// The table of the libcuda in this process; loads that library if need be. Null when there is none of ours.
const DriverTable* driverTable();

}  // namespace vramscope::sim
