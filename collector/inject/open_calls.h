// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vramscope::collector {

// The calls that the current thread is in, where the engine does not connect a call's exit with its entry
// (CUPTI does, by correlationData). A call may make others. All functions are for the calling thread alone.

struct OpenCall {
    std::uint32_t domain;
    std::uint32_t id;
    std::uint64_t enterTicks;  ///< 0 until the callback of its entry has set it
    std::uint32_t flight;      ///< its place in FlightList, from 1; 0 none
};

/// Entry; null when there are too many of them.
OpenCall* openCall(std::uint32_t domain, std::uint32_t id);
/// Exit: the innermost call of this kind, or null. What was opened inside it and not closed is forgotten.
OpenCall* findOpenCall(std::uint32_t domain, std::uint32_t id);
/// The innermost driver call, or null.
OpenCall* innermostDriverCall();
void closeCall(OpenCall& call);

}  // namespace vramscope::collector
