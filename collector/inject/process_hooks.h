// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vramscope::collector {

/// Installs the exit and fork handlers of this process, once. See docs/host-process-rules.md.
void installProcessHooks();

/// True once exit handlers have begun to run: recording goes on (destructors still free memory), CUDA calls
/// do not.
bool isExiting();

}  // namespace vramscope::collector
