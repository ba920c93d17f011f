// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/recorder/process_scope.h"

namespace vramscope::collector {

/// The call that a GuardHit or DigestChange stands behind, null where the record does not say.
inline const formats::WorkCall* workCallOf(const ResolvedCall& call) {
    if (call.slotCount < 2) return nullptr;
    return reinterpret_cast<const formats::WorkCall*>(&call.record + 1);
}

}  // namespace vramscope::collector
