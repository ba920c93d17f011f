// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/inject/lane_writer.h"

// Tasks as the program names them, through annotate.h, Python or the NVTX domain of tasks. All of it works
// before recording starts, too: a thread's open tasks are told when it records its first event.

namespace vramscope::collector::tasks {

/// The NVTX domain whose ranges are tasks.
inline constexpr char kDomain[] = "vramscope.task";

/// The calling thread works for task `name` until the pop. Returns the level, 0 the outermost.
int push(const char* name);
/// Returns the level that was closed, -1 when none was open.
int pop();

/// A task of no thread, between two calls that agree in `id`.
void start(std::uint64_t id, const char* name);
void end(std::uint64_t id);

/// Tells tasks apart inside the job: equal for work of one task, as far as that can be told here.
using Key = std::uint64_t;
/// The process by itself.
inline constexpr Key kProcess = 0;
/// It may be any.
inline constexpr Key kUnknown = ~Key{0};

/// The task of what the calling thread does now.
Key current(const ThreadState& thread);
/// The task called `name`; null or empty: any, kUnknown.
Key keyOf(const char* name);

/// Lends the caller's task to threads whose names begin with `threadNames`, until the call with isBegin
/// false.
void delegate(bool isBegin, const char* threadNames);

}  // namespace vramscope::collector::tasks
