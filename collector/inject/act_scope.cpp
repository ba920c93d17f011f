// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/act_scope.h"

namespace vramscope::collector {

constinit std::atomic<int> g_actsInProgress{0};

}  // namespace vramscope::collector
