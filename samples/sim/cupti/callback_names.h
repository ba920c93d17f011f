// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/sim/cuda_abi.h"

namespace vramscope::sim {

/// One more than the highest callback id of a domain.
uint32_t callbackCount(CUpti_CallbackDomain domain);
/// The name as CUPTI gives it ("cuMemAlloc_v2"); null for an unknown id or a domain without names.
const char* callbackName(CUpti_CallbackDomain domain, uint32_t callbackId);

}  // namespace vramscope::sim
