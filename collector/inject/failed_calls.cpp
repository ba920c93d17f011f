// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/failed_calls.h"

#include <cuda.h>

namespace vramscope::collector {

static_assert(formats::kNotReady == CUDA_ERROR_NOT_READY);

void recordFailure(Call& call) {
    if (const formats::Record* record = beginRecord(call, formats::RecordType::CallFailed))
        endRecord(call, record);
}

}  // namespace vramscope::collector
