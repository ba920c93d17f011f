// SPDX-License-Identifier: Apache-2.0

// Graphs as a whole: made, captured, cloned, instantiated, updated, destroyed; and the memory that they hold.
// Their nodes: decode_graph_nodes.cpp.

#include <cuda.h>

#include "collector/inject/act_scope.h"
#include "collector/inject/call_table.h"
#include "collector/inject/captures.h"
#include "collector/inject/graph_sampler.h"
#include "collector/inject/pool_sampler.h"

namespace vramscope::collector {

namespace {

using formats::GraphCallKind;
using formats::ObjectKind;
using formats::RecordType;

void writeGraphObject(Call& call, ObjectKind kind, std::uint64_t handle, std::uint64_t flags,
                      std::uint64_t source = 0) {
    formats::Record* record = beginRecord(call, RecordType::ObjectCreate, static_cast<std::uint8_t>(kind));
    if (record == nullptr) return;
    record->object = {handle, flags, source, 0};
    endRecord(call, record);
}

void writeGraphCall(Call& call, GraphCallKind kind, const formats::GraphCallPayload& payload) {
    formats::Record* record = beginRecord(call, RecordType::GraphCall, static_cast<std::uint8_t>(kind));
    if (record == nullptr) return;
    record->graphCall = payload;
    endRecord(call, record);
}

void decodeCreate(Call& call) {
    const auto& p = call.parameters<cuGraphCreate_params>();
    writeGraphObject(call, ObjectKind::Graph, outputOf(call, p.phGraph), p.flags);
}
void decodeClone(Call& call) {
    const auto& p = call.parameters<cuGraphClone_params>();
    writeGraphObject(call, ObjectKind::Graph, outputOf(call, p.phGraphClone), 0, asWord(p.originalGraph));
}

void writeExec(Call& call, const CUgraphExec* exec, CUgraph graph, std::uint64_t flags) {
    writeGraphObject(call, ObjectKind::GraphExec, outputOf(call, exec), flags, asWord(graph));
    if (call.succeeded()) noteGraphDevice();
}
// The first two forms of the call have no flags; where the third has them they have an error's buffer.
void decodeInstantiate(Call& call) {
    const auto& p = call.parameters<cuGraphInstantiate_v2_params>();
    writeExec(call, p.phGraphExec, p.hGraph, 0);
}
void decodeInstantiateWithFlags(Call& call) {
    const auto& p = call.parameters<cuGraphInstantiateWithFlags_params>();
    writeExec(call, p.phGraphExec, p.hGraph, p.flags);
}
void decodeInstantiateWithParams(Call& call) {
    const auto& p = call.parameters<cuGraphInstantiateWithParams_params>();
    writeExec(call, p.phGraphExec, p.hGraph, p.instantiateParams != nullptr ? p.instantiateParams->flags : 0);
}

// Both forms begin with the executable graph and the graph.
void decodeUpdate(Call& call) {
    const auto& p = call.parameters<cuGraphExecUpdate_v2_params>();
    if (!call.succeeded()) return;
    writeGraphCall(call, GraphCallKind::Update, {asWord(p.hGraphExec), asWord(p.hGraph), 0, 0});
}

void decodeDestroyNode(Call& call) {
    if (!call.succeeded()) return;
    writeGraphCall(call, GraphCallKind::NodeDestroy,
                   {0, asWord(call.parameters<cuGraphDestroyNode_params>().hNode), 0, 0});
}
void decodeEnableNode(Call& call) {
    const auto& p = call.parameters<cuGraphNodeSetEnabled_params>();
    if (!call.succeeded()) return;
    writeGraphCall(call, GraphCallKind::NodeEnable, {asWord(p.hGraphExec), asWord(p.hNode), 0, p.isEnabled});
}

template <ObjectKind kKind>
void decodeDestroy(Call& call) {
    formats::Record* record = beginRecord(call, RecordType::ObjectDestroy, static_cast<std::uint8_t>(kKind));
    if (record == nullptr) return;
    record->object = {*static_cast<const std::uint64_t*>(call.data.functionParams), 0, 0, 0};
    endRecord(call, record);
    if (kKind == ObjectKind::GraphExec && usesGraphMemory()) samplePools(call, PoolSampling::IfDue);
}

void decodeTrim(Call& call) {
    const auto& p = call.parameters<cuDeviceGraphMemTrim_params>();
    if (!call.succeeded()) return;
    writeGraphCall(call, GraphCallKind::MemoryTrim, {0, 0, 0, static_cast<std::uint64_t>(p.device)});
    sampleGraphMemory(call);
}

// Open from before the call on: nothing of ours may be under way when the capture begins.
void beforeBeginCapture(ThreadState& /*thread*/, const CUpti_CallbackData& /*data*/) {
    g_hot.openCaptures.fetch_add(1, std::memory_order_seq_cst);
    waitForActs();
}
void beganCapture(Call& call, CUstream stream, CUgraph into) {
    if (!call.succeeded()) {
        g_hot.openCaptures.fetch_sub(1, std::memory_order_relaxed);
        return;
    }
    writeGraphCall(call, GraphCallKind::CaptureBegin, {asWord(into), 0, asWord(stream), 0});
}
// All forms begin with the stream.
void decodeBeginCapture(Call& call) {
    beganCapture(call, call.parameters<cuStreamBeginCapture_v2_params>().hStream, nullptr);
}
void decodeBeginCaptureToGraph(Call& call) {
    const auto& p = call.parameters<cuStreamBeginCaptureToGraph_params>();
    beganCapture(call, p.hStream, p.hGraph);
}
// A failed end (the capture was invalidated) closes the capture as well.
void decodeEndCapture(Call& call) {
    if (g_hot.openCaptures.load(std::memory_order_relaxed) > 0)
        g_hot.openCaptures.fetch_sub(1, std::memory_order_relaxed);
    const auto& p = call.parameters<cuStreamEndCapture_params>();
    const std::uint64_t graph = outputOf(call, p.phGraph);
    if (graph != 0) writeGraphObject(call, ObjectKind::Graph, graph, formats::kGraphOfCapture);
    writeGraphCall(call, GraphCallKind::CaptureEnd, {graph, 0, asWord(p.hStream), 0});
}

CallRule makeRule(Decoder decode) {
    return {.decode = decode, .takesStack = true};
}
CallRule destroyRule(Decoder decode) {
    return {.decode = decode, .mutates = true, .takesStack = true};
}

}  // namespace

void registerGraphCalls() {
    addCalls({VRAMSCOPE_ID(cuGraphCreate)}, makeRule(decodeCreate));
    addCalls({VRAMSCOPE_ID(cuGraphClone)}, makeRule(decodeClone));
    addCalls({VRAMSCOPE_ID(cuGraphDestroy)}, destroyRule(decodeDestroy<ObjectKind::Graph>));
    addCalls({VRAMSCOPE_ID(cuGraphInstantiate), VRAMSCOPE_ID(cuGraphInstantiate_v2)},
             makeRule(decodeInstantiate));
    addCalls({VRAMSCOPE_ID(cuGraphInstantiateWithFlags)}, makeRule(decodeInstantiateWithFlags));
    addCalls({VRAMSCOPE_ID(cuGraphInstantiateWithParams), VRAMSCOPE_ID(cuGraphInstantiateWithParams_ptsz)},
             makeRule(decodeInstantiateWithParams));
    addCalls({VRAMSCOPE_ID(cuGraphExecUpdate), VRAMSCOPE_ID(cuGraphExecUpdate_v2)}, makeRule(decodeUpdate));
    addCalls({VRAMSCOPE_ID(cuGraphExecDestroy)}, destroyRule(decodeDestroy<ObjectKind::GraphExec>));
    addCalls({VRAMSCOPE_ID(cuGraphDestroyNode)}, {.decode = decodeDestroyNode});
    addCalls({VRAMSCOPE_ID(cuGraphNodeSetEnabled)}, {.decode = decodeEnableNode});
    addCalls({VRAMSCOPE_ID(cuDeviceGraphMemTrim)}, makeRule(decodeTrim));

    addCalls({VRAMSCOPE_ID(cuStreamBeginCapture), VRAMSCOPE_ID(cuStreamBeginCapture_ptsz),
              VRAMSCOPE_ID(cuStreamBeginCapture_v2), VRAMSCOPE_ID(cuStreamBeginCapture_v2_ptsz)},
             {.decode = decodeBeginCapture, .beforeCall = beforeBeginCapture});
    addCalls({VRAMSCOPE_ID(cuStreamBeginCaptureToGraph), VRAMSCOPE_ID(cuStreamBeginCaptureToGraph_ptsz)},
             {.decode = decodeBeginCaptureToGraph, .beforeCall = beforeBeginCapture});
    addCalls({VRAMSCOPE_ID(cuStreamEndCapture), VRAMSCOPE_ID(cuStreamEndCapture_ptsz)},
             makeRule(decodeEndCapture));
}

}  // namespace vramscope::collector
