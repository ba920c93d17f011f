// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "samples/sim/graph.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {

/// Stream capture: calls on a capturing stream make graph nodes instead of work. Guarded by the driver's
/// lock.

CUresult beginCapture(Stream& stream, CUstreamCaptureMode mode);
/// The same into a graph that exists, behind `dependencies` in it.
CUresult beginCaptureInto(Stream& stream, Graph& graph, std::vector<CUgraphNode> dependencies,
                          CUstreamCaptureMode mode);
/// Ends the capture that began on this stream and gives its graph.
CUresult endCapture(Stream& stream, Graph** graph);
/// Appends a node to what the stream has captured.
GraphNode& captureWork(Stream& stream, Work work);
/// A stream that waits for a captured event joins the capture, or gets one more dependency in it.
CUresult joinCapture(Stream& stream, Graph& graph, const std::vector<GraphNode*>& nodes);

/// What a call of this kind gets while somebody captures: CUDA_SUCCESS, or the error that also breaks the
/// capture.
CUresult checkAgainstCaptures(uint32_t callbackId);
/// The same for work on the legacy stream.
CUresult checkLegacyAgainstCaptures();

CUstreamCaptureMode exchangeThreadCaptureMode(CUstreamCaptureMode mode);

}  // namespace vramscope::sim
