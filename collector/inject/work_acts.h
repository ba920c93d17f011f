// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cuda.h>

#include "collector/inject/call_table.h"
#include "collector/inject/own_kernels.h"

namespace vramscope::collector {

/// Whether anything of ours is done around launches, copies and sets. One load.
inline bool actsOnWork() {
    constexpr auto kActs = static_cast<std::uint8_t>(Act::Guard) | static_cast<std::uint8_t>(Act::Watch) |
                           static_cast<std::uint8_t>(Act::Delay);
    return (g_hot.acts.load(std::memory_order_relaxed) & kActs) != 0;
}

/// Null means another stream in the calls of programs built for a default stream of each thread; ours are
/// not.
inline CUstream explicitStream(CUstream stream, bool isPerThread) {
    if (stream != nullptr) return stream;
    return isPerThread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
}

/// A launch is about to be made on `stream`, explicit, in the context with CUPTI's number `contextUid`: what
/// our options do before it. Before the call's time is taken.
void beforeLaunch(CUstream stream, std::uint32_t contextUid);

/// The entry of a launch, as CUPTI shows it: for calls that have their own decoder.
void beforeLaunchCall(ThreadState& thread, const CUpti_CallbackData& data);
/// The same of the launches that plain_launch.h reads.
void beforePlainLaunch(const CallRule& rule, const CUpti_CallbackData& data);

/// A launch, copy or set has returned and is recorded. `isLaunch`: one that the functions above were told of.
void afterWork(ThreadState& thread, std::uint16_t api, bool isLaunch, bool succeeded,
               std::uint64_t enterTicks);

/// A stream was made or used by the job, as far as that bears on where we may launch.
void noteStream(CUstream stream, unsigned flags);

}  // namespace vramscope::collector
