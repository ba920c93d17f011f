// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/call_table.h"

namespace vramscope::collector {

/// Records a failed call that has no decoder: the first failure of each driver call in this process, with its
/// stack. Repeats say nothing new and may be part of how a framework probes, so they are left out.
void recordFirstFailure(Call& call);

}  // namespace vramscope::collector
