// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/nvtx_abi.h"

namespace vramscope::collector::nvtx {

/// Each takes over its functions in a table with `count` places. May be called for every module of the job
/// that has NVTX compiled in; threads may do so at the same time.
void takeOverCore(FunctionTable table,
                  unsigned count);  ///< ranges and marks of the default domain, thread names
void takeOverCore2(FunctionTable table,
                   unsigned count);  ///< domains, registered strings, their ranges and marks
void takeOverCuda(FunctionTable table, unsigned count);         ///< names of driver streams
void takeOverCudaRuntime(FunctionTable table, unsigned count);  ///< names of runtime streams

/// Puts `function` into its place, if this NVTX has that place.
template <typename Place, typename Function>
void takeOver(FunctionTable table, unsigned count, Place place, Function function) {
    const auto at = static_cast<unsigned>(place);
    if (at < count && table[at] != nullptr) *table[at] = reinterpret_cast<FunctionPointer>(function);
}

}  // namespace vramscope::collector::nvtx
