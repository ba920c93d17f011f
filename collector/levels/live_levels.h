// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::levels {

/// Steps of the finest level of a session, at most.
inline constexpr std::int64_t kMostSteps = 4096;
/// Each level is so many times coarser than the one below.
inline constexpr std::int64_t kLevelFactor = 16;
/// Fact in the table meta: width of a step of level 0 in nanoseconds, a power of two.
inline constexpr const char* kWidthKey = "level0_width_ns";

/// Fills live_levels anew from buffers, at the end of a recording, in one transaction; `capture` must be
/// writable and outside a transaction. A buffer of S bytes counts S from alloc_ns until just before free_ns,
/// whatever its kind. The finest width is the least power of two with which the session has at most
/// kMostSteps steps; the coarsest level has one step. A step in which nothing was live has no row: a reader
/// takes a missing row as 0. Memory does not grow with the capture: SQLite sorts in temporary files.
Status buildLiveLevels(formats::Connection& capture);

}  // namespace vramscope::levels
