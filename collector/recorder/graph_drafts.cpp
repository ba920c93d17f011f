// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/graph_drafts.h"

namespace vramscope::collector {

using formats::ArgumentWord;
using formats::CopyLayout;
using formats::GraphNodeKind;
using formats::ObjectKind;
using formats::RecordType;

namespace {

/// Bytes from the first to the last of a shaped range; of a plain one its size.
std::uint64_t extentOf(const CopyLayout* layout, std::uint64_t pitch, std::uint64_t slicePitch,
                       std::uint64_t sizeBytes) {
    if (layout == nullptr || layout->rows == 0 || layout->slices == 0) return sizeBytes;
    if (layout->rows == 1 && layout->slices == 1) return layout->widthBytes;
    return (layout->slices - 1) * slicePitch + (layout->rows - 1) * pitch + layout->widthBytes;
}

const CopyLayout* layoutBehind(const ResolvedCall& call, std::uint8_t slot) {
    return call.slotCount > slot ? reinterpret_cast<const CopyLayout*>(&call.record + slot) : nullptr;
}

}  // namespace

NodeDraft GraphDrafts::begin(const ResolvedCall& call) {
    NodeDraft draft;
    draft.api = call.header().api;
    draft.startTicks = call.header().exitTicks;
    draft.threadId = call.threadId;
    draft.stackId = call.stackId;
    return draft;
}

void GraphDrafts::addAddress(NodeDraft& draft, const ResolvedCall& call, const char* role,
                             std::uint64_t address, std::uint64_t sizeBytes,
                             std::int64_t parameterOffset) const {
    if (address == 0) return;
    const BufferRow* row = m_addresses.find(address, call.header().enterTicks);
    draft.addresses.push_back({role, row != nullptr ? row->bufferId : 0,
                               row != nullptr ? address - row->address : 0, address, sizeBytes,
                               parameterOffset});
}

void GraphDrafts::addArguments(NodeDraft& draft, const ResolvedCall& call) const {
    const auto* words = reinterpret_cast<const ArgumentWord*>(&call.record + 1);
    const std::size_t count = (call.slotCount - 1u) * (formats::kSlotBytes / sizeof(ArgumentWord));
    for (std::size_t i = 0; i < count && words[i] != 0; ++i) {
        addAddress(draft, call, "argument", formats::argumentAddress(words[i]), 0,
                   formats::argumentOffsetBytes(words[i]));
    }
}

void GraphDrafts::addMemory(NodeDraft& draft, const ResolvedCall& call, std::uint64_t address,
                            std::uint64_t sizeBytes) const {
    draft.memoryAddress = address;
    draft.memoryBytes = sizeBytes;
    addAddress(draft, call, draft.kind == GraphNodeKind::Alloc ? "allocated" : "freed", address, sizeBytes);
}

NodeDraft GraphDrafts::ofNode(const ResolvedCall& call) const {
    const formats::GraphNodePayload& payload = call.record.graphNode;
    const std::uint8_t detail = call.header().detail;
    NodeDraft draft = begin(call);
    draft.kind = static_cast<GraphNodeKind>(detail & formats::kNodeKindMask);
    draft.node = payload.node;
    draft.isCut = (detail & formats::kNodeArgumentsCut) != 0;
    switch (draft.kind) {
        case GraphNodeKind::Kernel:
            draft.kernelId = m_events.kernelOf(payload.subject, nullptr);
            addArguments(draft, call);
            break;
        case GraphNodeKind::Copy:
        case GraphNodeKind::Set: {
            if (call.slotCount < 3) break;
            const auto& range = *reinterpret_cast<const formats::NodeCopy*>(&call.record + 1);
            const CopyLayout* layout = layoutBehind(call, 2);
            addAddress(
                draft, call, "destination", range.destination,
                extentOf(layout, layout->destinationPitch, layout->destinationSlicePitch, range.sizeBytes));
            addAddress(draft, call, "source", range.source,
                       extentOf(layout, layout->sourcePitch, layout->sourceSlicePitch, range.sizeBytes));
            break;
        }
        case GraphNodeKind::Child:
            draft.childGraphId = m_objects.idOf(ObjectKind::Graph, payload.subject);
            break;
        case GraphNodeKind::Alloc:
        case GraphNodeKind::Free:
            addMemory(draft, call, payload.subject, payload.sizeBytes);
            break;
        default:
            break;
    }
    return draft;
}

NodeDraft GraphDrafts::ofCaptured(const ResolvedCall& call) const {
    NodeDraft draft = begin(call);
    draft.isCaptured = true;
    const CopyLayout* layout = layoutBehind(call, 1);
    switch (static_cast<RecordType>(call.header().type)) {
        case RecordType::Launch:
            if ((call.header().detail & formats::kLaunchGraph) != 0) {
                draft.kind = GraphNodeKind::Child;
                draft.childGraphId = m_objects.idOf(ObjectKind::GraphExec, call.record.launch.function);
                break;
            }
            draft.kind = GraphNodeKind::Kernel;
            draft.kernelId = m_events.kernelOf(call.record.launch.function, nullptr);
            draft.isCut = (call.header().detail & formats::kLaunchArgumentsCut) != 0;
            addArguments(draft, call);
            break;
        case RecordType::Copy: {
            const formats::CopyPayload& copy = call.record.copy;
            draft.kind = GraphNodeKind::Copy;
            const bool isShaped = layout != nullptr;
            addAddress(draft, call, "destination", copy.destination,
                       extentOf(layout, isShaped ? layout->destinationPitch : 0,
                                isShaped ? layout->destinationSlicePitch : 0, copy.sizeBytes));
            addAddress(draft, call, "source", copy.source,
                       extentOf(layout, isShaped ? layout->sourcePitch : 0,
                                isShaped ? layout->sourceSlicePitch : 0, copy.sizeBytes));
            break;
        }
        case RecordType::StreamWrite:
            draft.kind = GraphNodeKind::BatchMemOp;
            addAddress(draft, call, "destination", call.record.set.destination, call.record.set.sizeBytes);
            break;
        case RecordType::Set:
            draft.kind = GraphNodeKind::Set;
            addAddress(draft, call, "destination", call.record.set.destination,
                       extentOf(layout, layout != nullptr ? layout->destinationPitch : 0, 0,
                                call.record.set.sizeBytes));
            break;
        case RecordType::Alloc:
            draft.kind = GraphNodeKind::Alloc;
            addMemory(draft, call, call.record.alloc.address, call.record.alloc.sizeBytes);
            break;
        case RecordType::Free:
            draft.kind = GraphNodeKind::Free;
            addMemory(draft, call, call.record.free.address, 0);
            break;
        default:
            break;
    }
    return draft;
}

}  // namespace vramscope::collector
