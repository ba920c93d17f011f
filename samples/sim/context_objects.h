// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/sim/context.h"

namespace vramscope::sim {

/// Frees what dies with a context beside its device heap and its streams: pinned and registered host memory,
/// IPC imports, events, modules. Each family offers its part.
void dropContextObjects(Context& context);

void dropHostMemory(Context& context);
void dropImports(Context& context);
void dropEvents(Context& context);
void dropModules(Context& context);
void dropTextures(Context& context);

}  // namespace vramscope::sim
