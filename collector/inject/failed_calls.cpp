// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/failed_calls.h"

#include <atomic>

#include "collector/inject/call_stack.h"

namespace vramscope::collector {

namespace {
std::atomic<bool> g_hasFailed[kMaxDriverApis];
}

void recordFirstFailure(Call& call) {
    if (g_hasFailed[call.api].exchange(true, std::memory_order_relaxed)) return;
    if (call.stackId == 0) call.stackId = captureStack(call.thread);
    if (const formats::Record* record = beginRecord(call, formats::RecordType::CallFailed))
        endRecord(call, record);
}

}  // namespace vramscope::collector
