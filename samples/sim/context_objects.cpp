// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/context_objects.h"

namespace vramscope::sim {

void dropContextObjects(Context& context) {
    dropModules(context);
    dropTextures(context);
    dropEvents(context);
    dropHostMemory(context);
    dropImports(context);
}

}  // namespace vramscope::sim
