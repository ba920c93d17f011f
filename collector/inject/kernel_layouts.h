// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/inject/call_table.h"

namespace vramscope::collector {

/// One 8-byte word of a kernel's parameters that may be a pointer.
struct ParameterWord {
    std::uint16_t parameter;       ///< index into kernelParams
    std::uint16_t byteInParameter; ///< where in that parameter
    std::uint32_t blockOffset;     ///< where in the whole parameter block
};

/// The parameters of one kernel. Structures passed by value contribute every aligned word in them.
struct KernelLayout {
    std::uint64_t function;
    std::uint32_t wordCount;
    std::uint32_t unused;
    const ParameterWord* words() const { return reinterpret_cast<const ParameterWord*>(this + 1); }
};

/// Reserves the cache's memory. Before recording starts.
bool prepareKernelLayouts();

/// The layout of the launched function: one hash look-up; the first time the driver is asked parameter by parameter and the
/// kernel's name is announced to the recorder, so it must not be called between reserve() and publish(). Null when the
/// driver does not know the layout (older than 12.4) or the cache is full.
const KernelLayout* kernelLayout(Call& call, std::uint64_t function);

/// Handles may now mean other kernels: a module was unloaded.
void forgetKernelLayouts();

}  // namespace vramscope::collector
