// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/sim/module_image.h"

namespace vramscope::sim {

struct Grid {
    Index3 gridSize;
    Index3 blockSize;
    size_t sharedBytes = 0;
    bool cooperative = false;
};

/// Runs a kernel on the CPU: block after block, in a block thread after thread. A thread that comes to a
/// barrier steps aside until the others have come there or ended. One run at a time in a process (the
/// driver's lock).
void runGrid(const ModuleImage& image, const KernelImage& kernel, const Grid& grid, void** parameters);

}  // namespace vramscope::sim
