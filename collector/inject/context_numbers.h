// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda.h>

namespace vramscope::collector {

// Numbers for contexts where the engine gives none. At most kMostContexts live at a time; one more has no
// number. Any thread.
inline constexpr std::uint32_t kMostContexts = 64;

/// Gives a new context its number, from 1.
void numberContext(CUcontext context);
/// 0 for none.
std::uint32_t numberOfContext(CUcontext context);
/// The context ends.
void forgetContext(CUcontext context);

}  // namespace vramscope::collector
