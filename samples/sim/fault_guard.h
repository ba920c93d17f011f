// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "samples/sim/cuda_abi.h"

namespace vramscope::sim {

/// Runs device work. An access to an address with nothing behind it, or a write to a read-only mapping, ends
/// the work and gives CUDA_ERROR_ILLEGAL_ADDRESS, as on a device. Faults elsewhere go where they went before.
/// One call at a time (the driver's lock).
CUresult runGuarded(const std::function<CUresult()>& work);

}  // namespace vramscope::sim
