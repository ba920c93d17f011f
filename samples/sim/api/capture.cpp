// SPDX-License-Identifier: Apache-2.0
// Beginning, ending and asking about stream capture.
#include "samples/sim/capture.h"

#include "samples/sim/entry_point.h"
#include "samples/sim/graph_callbacks.h"

namespace vramscope::sim {

SIM_API(Context, cuStreamBeginCapture_v2, CUstream handle, CUstreamCaptureMode mode) {
    Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = beginCapture(*stream, mode);
    if (result == CUDA_SUCCESS) raiseGraphCreated(*stream->capture);
    return result;
}
SIM_API_PER_THREAD(Context, cuStreamBeginCapture_v2, _ptsz)

SIM_API(Context, cuStreamBeginCaptureToGraph, CUstream handle, CUgraph graphHandle,
        const CUgraphNode* dependencies, const CUgraphEdgeData*, size_t count, CUstreamCaptureMode mode) {
    Stream* stream = findStream(handle);
    Graph* graph = findGraph(graphHandle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!graph || (count && !dependencies) || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    return beginCaptureInto(*stream, *graph, {dependencies, dependencies + count}, mode);
}
SIM_API_PER_THREAD(Context, cuStreamBeginCaptureToGraph, _ptsz)

SIM_API(Context, cuStreamEndCapture, CUstream handle, CUgraph* graph) {
    Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!graph) return CUDA_ERROR_INVALID_VALUE;
    Graph* captured = nullptr;
    const CUresult result = endCapture(*stream, &captured);
    *graph = captured ? handleOf(captured) : nullptr;
    return result;
}
SIM_API_PER_THREAD(Context, cuStreamEndCapture, _ptsz)

static CUstreamCaptureStatus statusOf(const Stream& stream) {
    if (!stream.capture) return CU_STREAM_CAPTURE_STATUS_NONE;
    return stream.captureBroken ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

SIM_API(Context, cuStreamIsCapturing, CUstream handle, CUstreamCaptureStatus* status) {
    const Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!status) return CUDA_ERROR_INVALID_VALUE;
    *status = statusOf(*stream);
    return CUDA_SUCCESS;
}
SIM_API_PER_THREAD(Context, cuStreamIsCapturing, _ptsz)

static CUresult describe(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                         const CUgraphNode** dependencies, size_t* count) {
    const Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!status) return CUDA_ERROR_INVALID_VALUE;
    *status = statusOf(*stream);
    if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
    if (id) *id = reinterpret_cast<cuuint64_t>(stream->capture);
    if (graph) *graph = handleOf(stream->capture);
    if (dependencies) *dependencies = stream->captureTail.data();
    if (count) *count = stream->captureTail.size();
    return CUDA_SUCCESS;
}

SIM_API(Context, cuStreamGetCaptureInfo_v2, CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
        CUgraph* graph, const CUgraphNode** dependencies, size_t* count) {
    return describe(stream, status, id, graph, dependencies, count);
}
SIM_API_PER_THREAD(Context, cuStreamGetCaptureInfo_v2, _ptsz)

SIM_API(Context, cuStreamGetCaptureInfo_v3, CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
        CUgraph* graph, const CUgraphNode** dependencies, const CUgraphEdgeData** edges, size_t* count) {
    if (edges) *edges = nullptr;
    return describe(stream, status, id, graph, dependencies, count);
}
SIM_API_PER_THREAD(Context, cuStreamGetCaptureInfo_v3, _ptsz)

SIM_API(Driver, cuThreadExchangeStreamCaptureMode, CUstreamCaptureMode* mode) {
    if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    *mode = exchangeThreadCaptureMode(*mode);
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
