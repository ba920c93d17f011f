// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/inject/call_table.h"

namespace vramscope::collector {

/// Records the launch that nearly every launch is: it succeeded, its kernel was launched before, arguments
/// came as `kernelParams` and are few, no capture is open and no stack is wanted. Anything else returns false
/// with nothing recorded, and the general path (decode_launch.cpp) takes it.
///
/// Everything it needs is inline or in one line of cache, because most of what a launch costs us is fetching
/// our own code and data after the framework has used the caches: docs/decisions/0004-watched-calls.md.
[[gnu::hot]] bool recordPlainLaunch(CUpti_CallbackId id, const CallRule& rule,
                                    const CUpti_CallbackData& data);

}  // namespace vramscope::collector
