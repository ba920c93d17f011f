// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/call_table.h"

namespace vramscope::collector {

/// Records a failed call of which no decoder told anything. Every time: the recorder counts repeats.
void recordFailure(Call& call);

}  // namespace vramscope::collector
