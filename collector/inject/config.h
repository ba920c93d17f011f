// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "formats/job_clock.h"

namespace vramscope::collector {

/// How much is recorded. Each level includes the ones before it.
enum class RecordMode : std::uint8_t {
    Allocations,  ///< lifetimes, pools, contexts, errors, phases
    Launches,     ///< and launches, copies and sets
    All,          ///< and what orders them: streams, events, synchronisations
};

/// How calls are seen.
enum class Engine : std::uint8_t {
    Cupti,
    Exact,  ///< through the Compute Sanitizer API, which marks what kernels access (exact.h)
};

/// What --task-by makes of work that carries no mark, as far as it can be told in the job.
enum class UnmarkedWork : std::uint8_t {
    Process,
    Thread,
    Other,  ///< of streams, contexts or ranges: told apart by the recorder alone
};

/// What a thread does when its ring is full.
enum class OnFull : std::uint8_t { Wait, Drop };

inline constexpr std::uint32_t kMaxGuardBytes = 1u << 20;

/// The collector's settings, from the environment that `vramscope run` prepared. Plain data, fixed size.
struct Config {
    char sessionDirectory[256];   ///< where arenas go; empty: not recording
    char fallbackDirectory[256];  ///< used when the first has no room; empty: none
    char marksDirectory[256];     ///< where a process without a ring says so; empty: none
    std::uint64_t ringBytes;      ///< 0: choose by free space
    Engine engine;
    RecordMode recordMode;
    formats::ClockKind clockKind;
    OnFull onFull;
    bool launchStacks;         ///< take a stack at launches too
    bool hooksLaunches;        ///< stand in front of the driver's launch functions (launch_hooks.h)
    std::uint32_t guardBytes;  ///< guard bytes behind each device allocation, 0 none (guard.h)
    bool poisons;              ///< fill new and freed device memory with a pattern (poison.h)
    bool guardsSlack;          ///< only in the slack that the driver leaves behind it
    bool guardsEveryLaunch;    ///< look at guards behind each launch, on its stream
    char watch[256];           ///< which buffers to take digests of (watch_rule.h); empty: none
    bool perturbs;             ///< move placement, reuse and timing (perturb.h)
    std::uint64_t perturbSeed;
    UnmarkedWork unmarkedWork;
    bool require;  ///< end the job rather than run it unrecorded
    std::uint32_t stackDepth;
};

/// Reads VRAMSCOPE_SESSION, _FALLBACK, _MARKS, _RING_BYTES, _ENGINE, _RECORD, _ON_FULL, _LAUNCH_STACKS,
/// _LAUNCH_HOOKS, _GUARD, _GUARD_EVERY_LAUNCH, _POISON, _WATCH, _PERTURB, _TASK_RULE, _CLOCK, _REQUIRE and
/// _STACK_DEPTH. Unknown values fall back to the default; the launcher has checked them already. A process
/// that runs with raised privileges (AT_SECURE) gets an empty session: its environment is not to be trusted.
Config readConfig();

}  // namespace vramscope::collector
