// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/guard.h"

namespace vramscope::collector {

/// At the entry of an allocation whose parameters have `bytesize`: asks for more than the job did, if guards
/// are on. CUPTI shows the parameters as constants; the driver reads them after its subscribers had them.
template <typename Parameters>
void enlarge(ThreadState& thread, const CUpti_CallbackData& data) {
    if (!guardsAreOn()) return;
    enlargeForGuard(thread,
                    const_cast<Parameters*>(static_cast<const Parameters*>(data.functionParams))->bytesize);
}

}  // namespace vramscope::collector
