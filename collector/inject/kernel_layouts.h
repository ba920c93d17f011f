// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/inject/call_table.h"

namespace vramscope::collector {

/// The words of one kernel parameter that may be pointers: consecutive 8-byte words, more than one for a
/// structure passed by value.
struct ParameterWords {
    std::uint16_t parameter;     ///< index into kernelParams
    std::uint16_t firstByte;     ///< where in that parameter the first word lies
    std::uint16_t blockOffset4;  ///< where in the whole parameter block, divided by four
    std::uint16_t count;
};

/// The parameters of one kernel, as few bytes as possible: most kernels fit a line of cache.
struct KernelLayout {
    std::uint64_t function;
    std::uint32_t parameterCount;
    std::uint32_t wordCount;  ///< in all parameters
    const ParameterWords* parameters() const { return reinterpret_cast<const ParameterWords*>(this + 1); }
};

/// Reserves the cache's memory. Before recording starts.
bool prepareKernelLayouts();

/// The layout of the launched function: one hash look-up; the first time the driver is asked parameter by
/// parameter and the kernel's name is announced to the recorder, so it must not be called between reserve()
/// and publish(). Null when the driver does not know the layout (older than 12.4) or the cache is full.
const KernelLayout* kernelLayout(Call& call, std::uint64_t function);

/// Handles may now mean other kernels: a module was unloaded.
void forgetKernelLayouts();

}  // namespace vramscope::collector
