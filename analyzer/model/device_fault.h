// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// Whether `error` (the same numbers in driver and runtime) says that the context is broken: a kernel or copy
/// failed on the device, and every call in the context answers so until it is gone.
bool isStickyError(std::int64_t error);

/// The failed call that was told first of a fault on a device, in any process; null when none was.
const FailedCall* firstDeviceFault(const Capture& capture);

}  // namespace vramscope::model
