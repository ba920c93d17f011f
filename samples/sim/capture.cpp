// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/capture.h"

#include <algorithm>
#include <pthread.h>
#include <utility>

#include "samples/sim/graph_callbacks.h"

namespace vramscope::sim {
namespace {

/// One capture in progress, with every stream that takes part.
struct Capture {
    Graph* graph;
    CUstreamCaptureMode mode;
    pthread_t thread;
    std::vector<Stream*> streams;  ///< the first is where it began
    bool ownsGraph;                ///< made for this capture
    bool broken = false;
};

std::vector<Capture>& captures() {
    static auto* const instance = new std::vector<Capture>;
    return *instance;
}

thread_local CUstreamCaptureMode t_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

/// Calls that wait for the device or may do so. While a capture could depend on them they are refused.
constexpr uint32_t kUnsafeCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged,
    CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc,
    CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost,
    CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuEventQuery,
    CUPTI_DRIVER_TRACE_CBID_cuStreamQuery,
    CUPTI_DRIVER_TRACE_CBID_cuStreamQuery_ptsz,
};

/// Whether a capture minds what the calling thread does.
bool minds(const Capture& capture) {
    if (t_mode == CU_STREAM_CAPTURE_MODE_RELAXED || capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED)
        return false;
    return capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL || pthread_equal(capture.thread, pthread_self());
}

bool breakMinding() {
    bool any = false;
    for (Capture& capture : captures()) {
        if (!minds(capture)) continue;
        capture.broken = true;
        any = true;
        for (Stream* stream : capture.streams)
            stream->captureBroken = true;
    }
    return any;
}

Capture* captureOf(const Graph* graph) {
    const auto found = std::find_if(captures().begin(), captures().end(),
                                    [&](const Capture& capture) { return capture.graph == graph; });
    return found == captures().end() ? nullptr : &*found;
}

CUresult checkMayCapture(const Stream& stream) {
    if (stream.legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return stream.capture ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}

void start(Stream& stream, Capture capture, std::vector<CUgraphNode> tail) {
    stream.capture = capture.graph;
    stream.captureBroken = false;
    stream.captureMode = capture.mode;
    stream.captureTail = std::move(tail);
    captures().push_back(std::move(capture));
}

}  // namespace

CUresult beginCapture(Stream& stream, CUstreamCaptureMode mode) {
    const CUresult result = checkMayCapture(stream);
    if (result == CUDA_SUCCESS) start(stream, {newGraph(), mode, pthread_self(), {&stream}, true}, {});
    return result;
}

CUresult beginCaptureInto(Stream& stream, Graph& graph, std::vector<CUgraphNode> dependencies,
                          CUstreamCaptureMode mode) {
    const CUresult result = checkMayCapture(stream);
    if (result == CUDA_SUCCESS)
        start(stream, {&graph, mode, pthread_self(), {&stream}, false}, std::move(dependencies));
    return result;
}

CUresult endCapture(Stream& stream, Graph** graph) {
    Capture* capture = stream.capture ? captureOf(stream.capture) : nullptr;
    if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
    if (capture->streams.front() != &stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !pthread_equal(capture->thread, pthread_self())) {
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    }
    const bool broken = capture->broken;
    *graph = broken ? nullptr : capture->graph;
    if (broken && capture->ownsGraph) capture->graph->alive = false;
    for (Stream* member : capture->streams) {
        member->capture = nullptr;
        member->captureBroken = false;
        member->captureTail.clear();
    }
    std::erase_if(captures(), [&](const Capture& entry) { return &entry == capture; });
    return broken ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

GraphNode& captureWork(Stream& stream, Work work) {
    std::vector<GraphNode*> dependencies;
    for (CUgraphNode node : stream.captureTail)
        dependencies.push_back(findNode(node));
    GraphNode& node = addNode(*stream.capture, std::move(work), std::move(dependencies));
    stream.captureTail = {handleOf(&node)};
    raiseNodeCreated(node);
    return node;
}

CUresult joinCapture(Stream& stream, Graph& graph, const std::vector<GraphNode*>& nodes) {
    Capture* capture = captureOf(&graph);
    if (!capture) return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    if (stream.capture && stream.capture != &graph) return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    if (!stream.capture) {
        stream.capture = &graph;
        stream.captureTail.clear();
        stream.captureMode = capture->mode;
        capture->streams.push_back(&stream);
    }
    for (GraphNode* node : nodes)
        stream.captureTail.push_back(handleOf(node));
    return CUDA_SUCCESS;
}

CUresult checkAgainstCaptures(uint32_t callbackId) {
    if (captures().empty()) return CUDA_SUCCESS;
    const auto* end = std::end(kUnsafeCalls);
    if (std::find(std::begin(kUnsafeCalls), end, callbackId) == end) return CUDA_SUCCESS;
    return breakMinding() ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult checkLegacyAgainstCaptures() {
    // Relaxing the thread does not help here, and a capture of non-blocking streams does not mind (seen on an
    // H200): what counts is that the legacy stream would have to wait for captured work.
    bool implicit = false;
    for (Capture& capture : captures()) {
        const bool blocking = std::any_of(capture.streams.begin(), capture.streams.end(),
                                          [](const Stream* stream) { return stream->blocking(); });
        if (!blocking) continue;
        implicit = true;
        capture.broken = true;
        for (Stream* stream : capture.streams)
            stream->captureBroken = true;
    }
    return implicit ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
}

CUstreamCaptureMode exchangeThreadCaptureMode(CUstreamCaptureMode mode) {
    return std::exchange(t_mode, mode);
}

}  // namespace vramscope::sim
