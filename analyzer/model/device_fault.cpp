// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/device_fault.h"

#include <algorithm>
#include <array>

namespace vramscope::model {

bool isStickyError(std::int64_t error) {
    // cuda.h 13.0, CUresult: after these "the process must be terminated and relaunched".
    constexpr std::array<std::int64_t, 15> kSticky{214, 220, 226, 700, 702, 710, 714, 715,
                                                   716, 717, 718, 719, 721, 911, 999};
    return std::find(kSticky.begin(), kSticky.end(), error) != kSticky.end();
}

const FailedCall* firstDeviceFault(const Capture& capture) {
    const FailedCall* first = nullptr;
    for (const FailedCall& call : capture.failedCalls) {
        if (isStickyError(call.error) && (!first || call.enterNs < first->enterNs)) first = &call;
    }
    return first;
}

}  // namespace vramscope::model
