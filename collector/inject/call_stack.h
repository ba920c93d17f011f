// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/inject/lane_writer.h"

namespace vramscope::collector {

/// Prepares what stacks need: our own address range and the list of modules told to the recorder. Before
/// recording starts.
bool prepareCallStacks();

/// The stack node of the calling thread's present stack, our own frames left out; 0 if it cannot be had.
/// Announces modules that occur for the first time, so it must not be called between reserve() and publish().
/// A stack that this thread took before costs the unwinding and one hash look-up.
std::uint32_t captureStack(ThreadState& thread);

}  // namespace vramscope::collector
