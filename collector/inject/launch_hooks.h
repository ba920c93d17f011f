// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vramscope::collector {

/// Puts our functions in front of the driver's two launch functions: CUPTI alone takes 0.35 us for the two
/// callbacks of a launch (docs/measurements.md), more than all that we do. Called once, after subscribing and
/// before recording starts, on the thread that initialises CUDA: the runtime that does so has fetched its
/// pointers by then, so they are replaced where modules keep them (entry_pointers.h). Does nothing when the
/// driver cannot tell a kernel's name (older than 12.3), which else comes from CUPTI.
void installLaunchHooks();

/// Looks again at what loaded modules hold. One look at a time; a second caller leaves at once.
void replaceLaunchPointers();

/// The same if modules were loaded since the last look. True if so.
bool lookForLaunchPointers();

/// The driver has told the job where a function is: `*entry` is ours from here on if it is a launch function.
void replaceReply(void** entry);

}  // namespace vramscope::collector
