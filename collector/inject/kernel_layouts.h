// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
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
    std::uint16_t parameterCount;
    std::uint16_t wordCount;           ///< in all parameters
    std::atomic<std::uint32_t> epoch;  ///< of the latest moment at which the driver confirmed it
    const ParameterWords* parameters() const { return reinterpret_cast<const ParameterWords*>(this + 1); }
};

/// The layouts launched last, one for each hash; a newcomer takes the place of the one before. Two pages that
/// stay in the caches, where the whole index is 256.
inline constexpr unsigned kRecentLayoutBits = 10;
inline constexpr std::size_t kRecentLayouts = std::size_t{1} << kRecentLayoutBits;
extern std::atomic<const KernelLayout*> g_recentLayouts[kRecentLayouts];

/// Where `function` lies in a table of 2^bits entries.
constexpr std::size_t layoutSlot(std::uint64_t function, unsigned bits) {
    return (function * 0x9E37'79B9'7F4A'7C15ull) >> (64 - bits);
}

/// The layout of a function launched not long ago, or null. Hot path.
inline const KernelLayout* recentKernelLayout(std::uint64_t function) {
    const KernelLayout* found =
        g_recentLayouts[layoutSlot(function, kRecentLayoutBits)].load(std::memory_order_acquire);
    return found != nullptr && found->function == function ? found : nullptr;
}

/// Reserves the cache's memory. Before recording starts.
bool prepareKernelLayouts();

/// The layout of the launched function: one hash look-up; the first time the driver is asked parameter by
/// parameter and the kernel's name is announced to the recorder, so it must not be called between reserve()
/// and publish(). Null when the driver does not know the layout (older than 12.4) or the cache is full.
const KernelLayout* kernelLayout(Call& call, std::uint64_t function);

/// Handles may now mean other kernels: a module was unloaded.
void forgetKernelLayouts();

}  // namespace vramscope::collector
