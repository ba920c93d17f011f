// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <cuda.h>

#include "collector/inject/lane_writer.h"

namespace vramscope::collector {

/// A launch that has just been made.
struct MadeLaunch {
    std::uint16_t api;
    CUstream stream;  ///< explicit
    std::uint64_t enterTicks;
};

/// A look at all guards that stands right behind one launch, on its stream.
struct LaunchCheck {
    std::atomic<std::uint32_t> number;
    std::uint16_t api;
    formats::WorkCall launch;  ///< fromTicks: the look before this one on the stream
};

/// Numbers the looks at guards and, with --guard-every-launch, remembers which launch each stands behind.
class LaunchChecks {
public:
    /// False when there is no memory for it. Without `remembers` it only numbers.
    bool start(bool remembers);
    bool isOn() const { return m_checks != nullptr; }

    /// Never 0.
    std::uint32_t nextNumber();
    /// The same, for a look behind `launch`; `cleanTicks` is when guards were last known to be whole.
    std::uint32_t nextBehind(const ThreadState& thread, const MadeLaunch& launch, std::uint64_t cleanTicks);
    /// Null if that look stands behind no launch, or was long ago.
    const LaunchCheck* find(std::uint32_t number) const;

private:
    LaunchCheck* m_checks = nullptr;  ///< by number
    std::atomic<std::uint32_t> m_latest{0};
};

}  // namespace vramscope::collector
