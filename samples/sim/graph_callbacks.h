// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/sim/graph.h"

namespace vramscope::sim {

/// Raise the RESOURCE callbacks of graphs as an H200 does: in this order and, but for executable graphs,
/// without a context. Called with the driver's lock, which is dropped meanwhile. A clone for instantiation
/// raises none here.
void raiseGraphCreated(Graph& graph);
void raiseGraphDestroyed(Graph& graph);
void raiseNodeCreated(GraphNode& node);
void raiseExecCreated(GraphExec& exec);
void raiseExecDestroyed(GraphExec& exec);

}  // namespace vramscope::sim
