// SPDX-License-Identifier: Apache-2.0

// Nodes of graphs: added one by one, given other parameters, or made by a capture. What a captured call says
// is in that call's own record.

#include <cuda.h>

#include "collector/inject/address_filter.h"
#include "collector/inject/call_table.h"
#include "collector/inject/copy_ends.h"
#include "collector/inject/graph_sampler.h"
#include "collector/inject/kernel_layouts.h"
#include "collector/inject/parameter_block.h"

namespace vramscope::collector {

namespace {

using formats::GraphNodeKind;
using formats::RecordType;

static_assert(static_cast<int>(GraphNodeKind::Child) == CU_GRAPH_NODE_TYPE_GRAPH &&
              static_cast<int>(GraphNodeKind::Alloc) == CU_GRAPH_NODE_TYPE_MEM_ALLOC &&
              static_cast<int>(GraphNodeKind::Conditional) == CU_GRAPH_NODE_TYPE_CONDITIONAL);

/// Which node of which graph a call is about.
struct Place {
    std::uint64_t graph;
    std::uint64_t node;
    std::uint8_t flags;
};

// Every call that adds a node begins with the node and the graph.
Place addedBy(const Call& call) {
    const auto& p = call.parameters<cuGraphAddEmptyNode_params>();
    return {asWord(p.hGraph), outputOf(call, p.phGraphNode), 0};
}
// Those that change one begin with the node,
Place changedBy(const Call& call) {
    return {0, asWord(call.parameters<cuGraphNodeSetParams_params>().hNode), formats::kNodeReplaces};
}
// or with the executable graph that it is changed in.
Place changedInExecBy(const Call& call) {
    const auto& p = call.parameters<cuGraphExecNodeSetParams_params>();
    return {asWord(p.hGraphExec), asWord(p.hNode), formats::kNodeReplaces | formats::kNodeInExec};
}
using PlaceOf = Place (*)(const Call&);

void writeNode(Call& call, const Place& place, GraphNodeKind kind, std::uint64_t subject = 0,
               std::uint64_t sizeBytes = 0) {
    formats::Record* record = beginRecord(
        call, RecordType::GraphNode, static_cast<std::uint8_t>(static_cast<unsigned>(kind) | place.flags));
    if (record == nullptr) return;
    record->graphNode = {place.graph, place.node, subject, sizeBytes};
    endRecord(call, record);
}

void writeRange(Call& call, const Place& place, GraphNodeKind kind, const formats::NodeCopy& range,
                const formats::CopyLayout& layout) {
    formats::Record* record = beginRecord(
        call, RecordType::GraphNode, static_cast<std::uint8_t>(static_cast<unsigned>(kind) | place.flags), 3);
    if (record == nullptr) return;
    record->graphNode = {place.graph, place.node, 0, 0};
    *reinterpret_cast<formats::NodeCopy*>(record + 1) = range;
    *reinterpret_cast<formats::CopyLayout*>(record + 2) = layout;
    endRecord(call, record);
}

void writeCopyNode(Call& call, const Place& place, const CUDA_MEMCPY3D* copy) {
    if (copy == nullptr) return writeNode(call, place, GraphNodeKind::Copy);
    const CopyEnd destination = destinationOf(*copy);
    const CopyEnd source = sourceOf(*copy);
    const std::uint64_t slices = copy->Depth != 0 ? copy->Depth : 1;
    writeRange(
        call, place, GraphNodeKind::Copy,
        {destination.start,
         source.start,
         copy->WidthInBytes * copy->Height * slices,
         (destination.isArray ? formats::kCopyToArray : 0u) | (source.isArray ? formats::kCopyFromArray : 0u),
         {}},
        {copy->WidthInBytes, copy->Height, slices, destination.pitch, source.pitch, destination.slicePitch,
         source.slicePitch, 0});
}

// CUDA_MEMSET_NODE_PARAMS and its second version agree but for the context behind them.
template <typename Set>
void writeSetNode(Call& call, const Place& place, const Set* set) {
    if (set == nullptr) return writeNode(call, place, GraphNodeKind::Set);
    const std::uint64_t widthBytes = set->width * set->elementSize;
    writeRange(call, place, GraphNodeKind::Set, {set->dst, 0, widthBytes * set->height, 0, {}},
               {widthBytes, set->height, 1, set->pitch, 0, 0, 0, 0});
}

void writeKernelNode(Call& call, const Place& place, std::uint64_t function, void* const* values,
                     void* const* extra) {
    // What the driver refused it does not know, and asking about it may end the process.
    const KernelLayout* layout = call.succeeded() ? kernelLayout(call, function) : nullptr;
    const ParameterBlock block = values == nullptr ? ParameterBlock::of(extra) : ParameterBlock();
    const bool hasValues = values != nullptr && layout != nullptr;
    std::uint32_t words = hasValues ? layout->wordCount : block.wordCount();
    if (words > kMaxArguments) words = kMaxArguments;
    const std::uint32_t most = argumentSlots(words);
    call.isRecorded = true;
    formats::Record* record = reserveUncleared(call.thread, 1 + most);
    if (record == nullptr) return;
    ArgumentWriter arguments(reinterpret_cast<formats::ArgumentWord*>(record + 1), most * kWordsPerSlot);
    if (hasValues) arguments.considerAll(*layout, values);
    block.considerAll(arguments);
    const std::uint32_t slots = 1 + arguments.finish();
    std::uint8_t detail = place.flags;  // the kind is 0
    if (arguments.isCut() || (values != nullptr && layout == nullptr)) detail |= formats::kNodeArgumentsCut;
    record->header = headerOf(call, RecordType::GraphNode, detail, slots);
    record->graphNode = {place.graph, place.node, function, 0};
    publish(call.thread, slots);
}

void writeAllocNode(Call& call, const Place& place, std::uint64_t address, std::uint64_t sizeBytes) {
    if (call.succeeded()) {
        g_hot.addressFilter.add(address, sizeBytes);
        noteGraphMemory();
    }
    writeNode(call, place, GraphNodeKind::Alloc, address, sizeBytes);
}

// Both versions of the kernel's structure begin alike; the kernel of the second may stand in a field of its
// own.
template <PlaceOf kPlaceOf, typename Parameters, bool kIsFirstVersion = false>
void decodeKernel(Call& call) {
    const auto* kernel = call.parameters<Parameters>().nodeParams;
    if (kernel == nullptr || !call.succeeded()) return;
    std::uint64_t function = asWord(kernel->func);
    if constexpr (!kIsFirstVersion) {
        if (function == 0) function = asWord(kernel->kern);
    }
    writeKernelNode(call, kPlaceOf(call), function, kernel->kernelParams, kernel->extra);
}

void decodeGeneric(Call& call, const Place& place, const CUgraphNodeParams* node) {
    if (node == nullptr || !call.succeeded()) return;
    const auto kind = static_cast<GraphNodeKind>(node->type);
    switch (kind) {
        case GraphNodeKind::Kernel:
            return writeKernelNode(
                call, place,
                node->kernel.func != nullptr ? asWord(node->kernel.func) : asWord(node->kernel.kern),
                node->kernel.kernelParams, node->kernel.extra);
        case GraphNodeKind::Copy:
            return writeCopyNode(call, place, &node->memcpy.copyParams);
        case GraphNodeKind::Set:
            return writeSetNode(call, place, &node->memset);
        case GraphNodeKind::Child:
            return writeNode(call, place, kind, asWord(node->graph.graph));
        case GraphNodeKind::Alloc:
            return writeAllocNode(call, place, node->alloc.dptr, node->alloc.bytesize);
        case GraphNodeKind::Free:
            return writeNode(call, place, kind, node->free.dptr);
        default:
            if (kind < GraphNodeKind::Count) writeNode(call, place, kind);
    }
}

template <PlaceOf kPlaceOf, typename Parameters>
void decodeAnyKind(Call& call) {
    decodeGeneric(call, kPlaceOf(call), call.parameters<Parameters>().nodeParams);
}
void decodeAddCopy(Call& call) {
    if (call.succeeded())
        writeCopyNode(call, addedBy(call), call.parameters<cuGraphAddMemcpyNode_params>().copyParams);
}
void decodeSetCopy(Call& call) {
    if (call.succeeded())
        writeCopyNode(call, changedBy(call), call.parameters<cuGraphMemcpyNodeSetParams_params>().nodeParams);
}
void decodeExecSetCopy(Call& call) {
    if (call.succeeded())
        writeCopyNode(call, changedInExecBy(call),
                      call.parameters<cuGraphExecMemcpyNodeSetParams_params>().copyParams);
}
void decodeAddSet(Call& call) {
    if (call.succeeded())
        writeSetNode(call, addedBy(call), call.parameters<cuGraphAddMemsetNode_params>().memsetParams);
}
void decodeSetSet(Call& call) {
    if (call.succeeded())
        writeSetNode(call, changedBy(call), call.parameters<cuGraphMemsetNodeSetParams_params>().nodeParams);
}
void decodeExecSetSet(Call& call) {
    if (call.succeeded())
        writeSetNode(call, changedInExecBy(call),
                     call.parameters<cuGraphExecMemsetNodeSetParams_params>().memsetParams);
}
void decodeAddAlloc(Call& call) {
    const auto* node = call.parameters<cuGraphAddMemAllocNode_params>().nodeParams;
    if (node != nullptr && call.succeeded()) writeAllocNode(call, addedBy(call), node->dptr, node->bytesize);
}
void decodeAddFree(Call& call) {
    if (call.succeeded())
        writeNode(call, addedBy(call), GraphNodeKind::Free,
                  call.parameters<cuGraphAddMemFreeNode_params>().dptr);
}
void decodeAddChild(Call& call) {
    if (call.succeeded())
        writeNode(call, addedBy(call), GraphNodeKind::Child,
                  asWord(call.parameters<cuGraphAddChildGraphNode_params>().childGraph));
}
void decodeExecSetChild(Call& call) {
    if (call.succeeded())
        writeNode(call, changedInExecBy(call), GraphNodeKind::Child,
                  asWord(call.parameters<cuGraphExecChildGraphNodeSetParams_params>().childGraph));
}
template <GraphNodeKind kKind>
void decodeAddPlain(Call& call) {
    if (call.succeeded()) writeNode(call, addedBy(call), kKind);
}

CallRule nodeRule(Decoder decode) {
    return {.decode = decode, .level = RecordMode::Launches, .takesStack = true};
}

void registerPlainNodeCalls() {
    addCalls({VRAMSCOPE_ID(cuGraphAddHostNode)}, nodeRule(decodeAddPlain<GraphNodeKind::Host>));
    addCalls({VRAMSCOPE_ID(cuGraphAddEmptyNode)}, nodeRule(decodeAddPlain<GraphNodeKind::Empty>));
    addCalls({VRAMSCOPE_ID(cuGraphAddEventRecordNode)}, nodeRule(decodeAddPlain<GraphNodeKind::RecordEvent>));
    addCalls({VRAMSCOPE_ID(cuGraphAddEventWaitNode)}, nodeRule(decodeAddPlain<GraphNodeKind::WaitEvent>));
    addCalls({VRAMSCOPE_ID(cuGraphAddBatchMemOpNode)}, nodeRule(decodeAddPlain<GraphNodeKind::BatchMemOp>));
    addCalls({VRAMSCOPE_ID(cuGraphAddExternalSemaphoresSignalNode)},
             nodeRule(decodeAddPlain<GraphNodeKind::SignalSemaphore>));
    addCalls({VRAMSCOPE_ID(cuGraphAddExternalSemaphoresWaitNode)},
             nodeRule(decodeAddPlain<GraphNodeKind::WaitSemaphore>));
}

}  // namespace

void registerGraphNodeCalls() {
    addCalls({VRAMSCOPE_ID(cuGraphAddKernelNode)},
             nodeRule(decodeKernel<addedBy, cuGraphAddKernelNode_params, true>));
    addCalls({VRAMSCOPE_ID(cuGraphAddKernelNode_v2)},
             nodeRule(decodeKernel<addedBy, cuGraphAddKernelNode_v2_params>));
    addCalls({VRAMSCOPE_ID(cuGraphKernelNodeSetParams)},
             nodeRule(decodeKernel<changedBy, cuGraphKernelNodeSetParams_params, true>));
    addCalls({VRAMSCOPE_ID(cuGraphKernelNodeSetParams_v2)},
             nodeRule(decodeKernel<changedBy, cuGraphKernelNodeSetParams_v2_params>));
    addCalls({VRAMSCOPE_ID(cuGraphExecKernelNodeSetParams)},
             nodeRule(decodeKernel<changedInExecBy, cuGraphExecKernelNodeSetParams_params, true>));
    addCalls({VRAMSCOPE_ID(cuGraphExecKernelNodeSetParams_v2)},
             nodeRule(decodeKernel<changedInExecBy, cuGraphExecKernelNodeSetParams_v2_params>));
    addCalls({VRAMSCOPE_ID(cuGraphAddMemcpyNode)}, nodeRule(decodeAddCopy));
    addCalls({VRAMSCOPE_ID(cuGraphMemcpyNodeSetParams)}, nodeRule(decodeSetCopy));
    addCalls({VRAMSCOPE_ID(cuGraphExecMemcpyNodeSetParams)}, nodeRule(decodeExecSetCopy));
    addCalls({VRAMSCOPE_ID(cuGraphAddMemsetNode)}, nodeRule(decodeAddSet));
    addCalls({VRAMSCOPE_ID(cuGraphMemsetNodeSetParams)}, nodeRule(decodeSetSet));
    addCalls({VRAMSCOPE_ID(cuGraphExecMemsetNodeSetParams)}, nodeRule(decodeExecSetSet));
    addCalls({VRAMSCOPE_ID(cuGraphAddMemAllocNode)}, nodeRule(decodeAddAlloc));
    addCalls({VRAMSCOPE_ID(cuGraphAddMemFreeNode)}, nodeRule(decodeAddFree));
    addCalls({VRAMSCOPE_ID(cuGraphAddChildGraphNode)}, nodeRule(decodeAddChild));
    addCalls({VRAMSCOPE_ID(cuGraphExecChildGraphNodeSetParams)}, nodeRule(decodeExecSetChild));
    addCalls({VRAMSCOPE_ID(cuGraphAddNode)}, nodeRule(decodeAnyKind<addedBy, cuGraphAddNode_params>));
    addCalls({VRAMSCOPE_ID(cuGraphAddNode_v2)}, nodeRule(decodeAnyKind<addedBy, cuGraphAddNode_v2_params>));
    addCalls({VRAMSCOPE_ID(cuGraphNodeSetParams)},
             nodeRule(decodeAnyKind<changedBy, cuGraphNodeSetParams_params>));
    addCalls({VRAMSCOPE_ID(cuGraphExecNodeSetParams)},
             nodeRule(decodeAnyKind<changedInExecBy, cuGraphExecNodeSetParams_params>));
    registerPlainNodeCalls();
}

}  // namespace vramscope::collector
