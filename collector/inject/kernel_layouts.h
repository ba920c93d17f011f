// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collector/inject/call_table.h"

namespace vramscope::collector {

/// Up to this many words in all, a kernel's layout has an entry for each: a loop in a loop costs such a
/// kernel more than the longer table.
inline constexpr std::uint32_t kFewWords = 24;

/// The words of one kernel parameter that may be pointers: consecutive 8-byte words, more than one for a
/// structure passed by value, unless the kernel has few (kFewWords).
struct ParameterWords {
    std::uint16_t parameter;     ///< index into kernelParams
    std::uint16_t firstByte;     ///< where in that parameter the first word lies
    std::uint16_t blockOffset4;  ///< where in the whole parameter block, divided by four
    std::uint16_t count;
};

/// The parameters of one kernel, as few bytes as possible: most kernels fit a line of cache.
struct KernelLayout {
    std::uint64_t function;
    std::uint16_t parameterCount;      ///< entries
    std::uint16_t wordCount;           ///< in all parameters
    std::atomic<std::uint32_t> epoch;  ///< of the latest moment at which the driver confirmed it
    const ParameterWords* parameters() const { return reinterpret_cast<const ParameterWords*>(this + 1); }
};

constexpr std::uint64_t layoutHash(std::uint64_t function) {
    return function * 0x9E37'79B9'7F4A'7C15ull;
}

/// The set of HotData::recentLayouts that `hash` belongs to.
constexpr std::size_t recentLayoutSet(std::uint64_t hash) {
    return ((hash >> 32) * kRecentLayoutSets) >> 32;
}

/// Layouts begin at multiples of this.
inline constexpr std::size_t kLayoutUnit = 64;

/// An entry of HotData::recentLayouts: where the layout lies, in units from HotData::layouts, and bits of the
/// hash, so that a look at the wrong layout is rare. 0 is none: no layout lies at 0.
inline constexpr unsigned kRecentPlaceBits = 20;
constexpr std::uint32_t recentLayoutTag(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash) & ~((std::uint32_t{1} << kRecentPlaceBits) - 1);
}

/// The layout of a function launched not long ago, or null. Hot path.
inline const KernelLayout* recentKernelLayout(std::uint64_t function) {
    const std::uint64_t hash = layoutHash(function);
    for (const std::atomic<std::uint32_t>& way : g_hot.recentLayouts[recentLayoutSet(hash)]) {
        const std::uint32_t place = way.load(std::memory_order_acquire) ^ recentLayoutTag(hash);
        if (place == 0 || place >> kRecentPlaceBits != 0) continue;
        const auto* found = reinterpret_cast<const KernelLayout*>(g_hot.layouts + kLayoutUnit * place);
        if (found->function == function) return found;
    }
    return nullptr;
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
