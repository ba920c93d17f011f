// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/inject/lane_writer.h"
#include "collector/inject/sanitizer_abi.h"

namespace vramscope::collector {

// Where the machine code of kernels lies, so that the recorder can name the source line of an access: it gets
// the program counters of functions as records, and the images of modules that know their lines as files in
// the session's folder. Not thread-safe: its user locks. Asks the Compute Sanitizer API only.

/// Keeps the module's image for the recorder if it knows lines, and tells where its functions are. Images
/// over 64 MiB, and those beyond 256 MiB of a process, are passed over.
void exactCodeLoaded(ThreadState& thread, const sanitizer::ModuleData& module);
/// The handles of its functions may be another module's from here on.
void exactCodeUnloads(CUmodule module);
/// The program counter at which the launch's kernel begins, told on first use; 0 when it is not known.
std::uint64_t exactKernelPc(ThreadState& thread, const sanitizer::LaunchData& launch);

}  // namespace vramscope::collector
