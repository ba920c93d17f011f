// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/graph_table.h"

#include <algorithm>
#include <optional>

#include "collector/api_names/api_names.h"
#include "collector/recorder/or_null.h"

namespace vramscope::collector {

using api_names::callName;
using formats::GraphCallKind;
using formats::GraphNodeKind;
using formats::ObjectKind;

namespace {

const char* nodeKindName(GraphNodeKind kind) {
    constexpr const char* kNames[] = {"kernel",         "copy",         "set",
                                      "host",           "child",        "empty",
                                      "wait-event",     "record-event", "signal-semaphore",
                                      "wait-semaphore", "alloc",        "free",
                                      "batch-mem-op",   "conditional"};
    static_assert(sizeof(kNames) / sizeof(kNames[0]) == static_cast<std::size_t>(GraphNodeKind::Count));
    return kind < GraphNodeKind::Count ? kNames[static_cast<std::size_t>(kind)] : "empty";
}

std::optional<std::uint64_t> sizeOrNull(std::uint64_t bytes) {
    return bytes != 0 ? std::optional(bytes) : std::nullopt;
}

/// The stream that a captured call was given.
std::uint64_t streamOf(const formats::Record& record) {
    switch (static_cast<formats::RecordType>(record.header.type)) {
        case formats::RecordType::Launch:
            return record.launch.stream;
        case formats::RecordType::Copy:
            return record.copy.stream;
        case formats::RecordType::Alloc:
            return record.alloc.stream;
        case formats::RecordType::Free:
            return record.free.stream;
        default:
            return record.set.stream;
    }
}

bool isGraph(const ResolvedCall& call) {
    return call.header().detail == static_cast<std::uint8_t>(ObjectKind::Graph);
}
bool isExec(const ResolvedCall& call) {
    return call.header().detail == static_cast<std::uint8_t>(ObjectKind::GraphExec);
}

}  // namespace

GraphTable::Graph* GraphTable::find(ObjectKind kind, std::uint64_t handle) {
    auto& graphs = kind == ObjectKind::Graph ? m_graphs : m_execs;
    if (const auto found = graphs.find(handle); found != graphs.end()) return &found->second;
    const std::int64_t id = handle != 0 ? m_objects.idOf(kind, handle) : 0;
    if (id == 0) return nullptr;
    Graph& known = graphs[handle];
    known.id = id;
    return &known;
}

void GraphTable::insertGraph(const ResolvedCall& call, std::int64_t id, const char* kind,
                             const char* origin) {
    m_scope.sink.run(
        "INSERT OR REPLACE INTO graphs(graph_id, process_id, kind, origin, flags, kernel_id, is_whole) "
        "VALUES(?,?,?,?,?,?,1)",
        id, m_scope.processId, kind, origin, call.record.object.flags & 0xFFFF'FFFFu,
        orNull(isExec(call) ? m_events.newKernel(call.record.object.handle, "(graph)") : 0));
}

void GraphTable::takeOver(const ResolvedCall& call, std::int64_t graphId, std::int64_t sourceId) {
    m_scope.sink.run(
        "INSERT INTO graph_versions(graph_version_id, process_id, graph_id, source_graph_id, api, thread_id, "
        "enter_ns, exit_ns, stack_id) VALUES(?,?,?,?,?,?,?,?,?)",
        m_scope.sink.nextId("graph_versions"), m_scope.processId, graphId, orNull(sourceId),
        callName(call.header().api), orNull(call.threadId),
        m_scope.sink.sessionTime(call.header().enterTicks), m_scope.sink.sessionTime(call.header().exitTicks),
        orNull(call.stackId));
}

void GraphTable::objectCreated(const ResolvedCall& call, bool wasKnown) {
    if (wasKnown || (!isGraph(call) && !isExec(call))) return;
    // Instantiating and cloning make nodes, too, which are those of the source.
    m_captures.forgetAnnounced(call);
    const formats::ObjectPayload& payload = call.record.object;
    const auto kind = static_cast<ObjectKind>(call.header().detail);
    Graph made;
    made.id = m_objects.idOf(kind, payload.handle);
    const Graph* source = find(ObjectKind::Graph, payload.aux);
    if (source != nullptr) {
        made.allocated = source->allocated;
        made.freed = source->freed;
    }
    const std::int64_t sourceId = source != nullptr ? source->id : 0;
    if (isExec(call)) {
        insertGraph(call, made.id, "exec", "instantiated");
        takeOver(call, made.id, sourceId);
        m_execs[payload.handle] = std::move(made);
        return;
    }
    const bool isCapture = (payload.flags & formats::kGraphOfCapture) != 0;
    insertGraph(call, made.id, "graph", isCapture ? "captured" : payload.aux != 0 ? "cloned" : "created");
    if (payload.aux != 0) takeOver(call, made.id, sourceId);
    m_graphs[payload.handle] = std::move(made);
}

void GraphTable::objectDestroyed(const ResolvedCall& call) {
    const std::uint64_t handle = call.record.object.handle;
    if (isExec(call)) {
        m_execs.erase(handle);
        for (auto* nodes : {&m_execNodes, &m_disabledNodes})
            nodes->erase(nodes->lower_bound({handle, 0}), nodes->upper_bound({handle, ~0ull}));
    }
    if (!isGraph(call)) return;
    const auto found = m_graphs.find(handle);
    if (found == m_graphs.end()) return;
    for (const std::uint64_t node : found->second.nodes)
        m_nodes.erase(node);
    m_graphs.erase(found);
}

void GraphTable::graphCall(const ResolvedCall& call) {
    const formats::GraphCallPayload& payload = call.record.graphCall;
    switch (static_cast<GraphCallKind>(call.header().detail)) {
        case GraphCallKind::CaptureBegin:
            return m_captures.begin(m_identities.streamOf(call, payload.stream, call.header().exitTicks),
                                    payload.graph);
        case GraphCallKind::CaptureEnd:
            return captureEnded(call);
        case GraphCallKind::Update: {
            const std::int64_t exec = idOf(ObjectKind::GraphExec, payload.graph);
            if (exec == 0) return;
            m_execNodes.erase(m_execNodes.lower_bound({payload.graph, 0}),
                              m_execNodes.upper_bound({payload.graph, ~0ull}));
            return takeOver(call, exec, idOf(ObjectKind::Graph, payload.other));
        }
        case GraphCallKind::NodeDestroy: {
            const auto found = m_nodes.find(payload.other);
            if (found == m_nodes.end()) return;
            endNode(found->second.rowId, call.header().enterTicks);
            m_nodes.erase(found);
            return;
        }
        case GraphCallKind::NodeEnable:
            return nodeEnabled(call);
        case GraphCallKind::MemoryTrim:
            m_scope.sink.run(
                "INSERT INTO graph_memory_trims(graph_memory_trim_id, process_id, thread_id, device_id, "
                "enter_ns, exit_ns, stack_id) VALUES(?,?,?,?,?,?,?)",
                m_scope.sink.nextId("graph_memory_trims"), m_scope.processId, orNull(call.threadId),
                orNull(deviceOf(static_cast<std::int64_t>(payload.value))),
                m_scope.sink.sessionTime(call.header().enterTicks),
                m_scope.sink.sessionTime(call.header().exitTicks), orNull(call.stackId));
            return;
    }
}

void GraphTable::captureEnded(const ResolvedCall& call) {
    const formats::GraphCallPayload& payload = call.record.graphCall;
    const std::int64_t stream = m_identities.streamOf(call, payload.stream, call.header().enterTicks);
    bool isWhole = true;
    const std::vector<NodeDraft> nodes = m_captures.end(stream, payload.graph, isWhole);
    Graph* graph = find(ObjectKind::Graph, payload.graph);
    if (graph == nullptr) return;
    for (const NodeDraft& draft : nodes)
        addNode(payload.graph, *graph, draft);
    m_scope.sink.run("UPDATE graphs SET capture_stream_id=?, is_whole = min(is_whole, ?) WHERE graph_id=?",
                     orNull(stream), isWhole ? 1 : 0, graph->id);
}

void GraphTable::nodeEnabled(const ResolvedCall& call) {
    const formats::GraphCallPayload& payload = call.record.graphCall;
    const std::int64_t exec = idOf(ObjectKind::GraphExec, payload.graph);
    const ExecNode key{payload.graph, payload.other};
    const auto disabled = m_disabledNodes.find(key);
    if (payload.value != 0 && disabled != m_disabledNodes.end()) {
        endNode(disabled->second, call.header().exitTicks);
        m_disabledNodes.erase(disabled);
    }
    if (payload.value != 0 || disabled != m_disabledNodes.end() || exec == 0) return;
    NodeDraft draft;
    const auto known = m_nodes.find(payload.other);
    if (known != m_nodes.end()) draft.kind = known->second.kind;
    draft.node = payload.other;
    draft.api = call.header().api;
    draft.startTicks = call.header().exitTicks;
    draft.threadId = call.threadId;
    m_disabledNodes[key] = insertNode(exec, draft, false);
}

void GraphTable::node(const ResolvedCall& call) {
    const std::uint8_t detail = call.header().detail;
    if ((detail & formats::kNodeAnnounced) != 0) return m_captures.announce(call);
    m_captures.forgetAnnounced(call);
    const formats::GraphNodePayload& payload = call.record.graphNode;
    const NodeDraft draft = m_drafts.ofNode(call);
    if ((detail & formats::kNodeInExec) != 0) {
        const std::int64_t exec = idOf(ObjectKind::GraphExec, payload.graph);
        if (exec == 0) return;
        const auto [row, isNew] = m_execNodes.try_emplace({payload.graph, payload.node}, 0);
        if (!isNew) endNode(row->second, call.header().exitTicks);
        row->second = insertNode(exec, draft);
        return;
    }
    std::uint64_t handle = payload.graph;
    if ((detail & formats::kNodeReplaces) != 0) {
        const auto known = m_nodes.find(payload.node);
        if (known == m_nodes.end()) return;
        handle = known->second.graph;
        endNode(known->second.rowId, call.header().exitTicks);
    }
    Graph* graph = find(ObjectKind::Graph, handle);
    if (graph != nullptr) addNode(handle, *graph, draft);
}

void GraphTable::captured(const ResolvedCall& call) {
    if (!call.succeeded()) return;
    m_captures.add(call, m_identities.streamOf(call, streamOf(call.record), call.header().enterTicks),
                   m_drafts.ofCaptured(call));
}

std::int64_t GraphTable::insertNode(std::int64_t graphId, const NodeDraft& draft, bool isEnabled) {
    const std::int64_t id = m_scope.sink.nextId("graph_nodes");
    m_scope.sink.run(
        "INSERT INTO graph_nodes(graph_node_id, process_id, graph_id, node, kind, api, kernel_id, "
        "child_graph_id, is_captured, is_enabled, is_cut, start_ns, thread_id, stack_id) "
        "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        id, m_scope.processId, graphId, draft.node, nodeKindName(draft.kind), orNull(callName(draft.api)),
        orNull(draft.kernelId), orNull(draft.childGraphId), draft.isCaptured ? 1 : 0, isEnabled ? 1 : 0,
        draft.isCut ? 1 : 0, m_scope.sink.sessionTime(draft.startTicks), orNull(draft.threadId),
        orNull(draft.stackId));
    for (const NodeAddress& address : draft.addresses) {
        m_scope.sink.run(
            "INSERT INTO graph_node_addresses(graph_node_id, role, buffer_id, offset, address, size_bytes, "
            "parameter_offset) VALUES(?,?,?,?,?,?,?)",
            id, address.role, orNull(address.bufferId),
            address.bufferId != 0 ? std::optional(address.offset) : std::nullopt, address.address,
            sizeOrNull(address.sizeBytes),
            address.parameterOffset >= 0 ? std::optional(address.parameterOffset) : std::nullopt);
    }
    return id;
}

void GraphTable::addNode(std::uint64_t handle, Graph& graph, const NodeDraft& draft) {
    const std::int64_t rowId = insertNode(graph.id, draft);
    if (draft.kind == GraphNodeKind::Alloc && draft.memoryAddress != 0)
        graph.allocated.push_back({draft.memoryAddress, draft.memoryBytes, rowId, draft.stackId});
    if (draft.kind == GraphNodeKind::Free && draft.memoryAddress != 0)
        graph.freed.push_back(draft.memoryAddress);
    if (draft.node == 0) return;
    if (m_nodes.insert_or_assign(draft.node, Node{rowId, handle, draft.kind}).second)
        graph.nodes.push_back(draft.node);
}

void GraphTable::endNode(std::int64_t rowId, std::uint64_t timeTicks) {
    m_scope.sink.run("UPDATE graph_nodes SET end_ns=? WHERE graph_node_id=?",
                     m_scope.sink.sessionTime(timeTicks), rowId);
}

void GraphTable::launched(const ResolvedCall& call) {
    const auto found = m_execs.find(call.record.launch.function);
    if (found == m_execs.end() || !call.succeeded()) return;
    const Graph& exec = found->second;
    const auto isFreedInside = [&exec](std::uint64_t address) {
        return std::find(exec.freed.begin(), exec.freed.end(), address) != exec.freed.end();
    };
    // What one launch allocates and frees is the graph's own business: it shows in the samples.
    for (const Memory& memory : exec.allocated) {
        if (!isFreedInside(memory.address)) allocate(call, exec, memory);
    }
    for (const std::uint64_t address : exec.freed) {
        const bool isOwn = std::any_of(exec.allocated.begin(), exec.allocated.end(),
                                       [address](const Memory& m) { return m.address == address; });
        const BufferPtr buffer = isOwn ? nullptr : m_memory.addresses().liveAt(address);
        if (buffer != nullptr && buffer->kind == formats::BufferKind::Graph)
            m_memory.end(buffer, call, "freed");
    }
}

void GraphTable::allocate(const ResolvedCall& call, const Graph& exec, const Memory& memory) {
    // Still there from the last launch: this one freed it first
    // (CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH).
    const BufferPtr last = m_memory.addresses().liveAt(memory.address);
    if (last != nullptr && last->kind == formats::BufferKind::Graph) m_memory.end(last, call, "freed");
    const BufferPtr buffer =
        m_memory.makeBuffer(call, formats::BufferKind::Graph, memory.address, memory.sizeBytes);
    // Launches have no stacks; who asked for the memory is who made the node.
    if (memory.stackId != 0) buffer->allocStackId = memory.stackId;
    m_memory.adopt(buffer);
    m_scope.sink.run("INSERT INTO graph_allocations(buffer_id, exec_id, graph_node_id) VALUES(?,?,?)",
                     buffer->bufferId, exec.id, orNull(memory.nodeId));
}

void GraphTable::memorySample(const ResolvedCall& call) {
    const formats::GraphMemoryPayload& payload = call.record.graphMemory;
    Sample& last = m_samples[payload.deviceOrdinal];
    if (last.reservedBytes == payload.reservedBytes && last.usedBytes == payload.usedBytes) return;
    last = {payload.reservedBytes, payload.usedBytes};
    m_scope.sink.run(
        "INSERT INTO graph_memory_samples(time_ns, process_id, device_id, reserved_bytes, used_bytes) "
        "VALUES(?,?,?,?,?)",
        m_scope.sink.sessionTime(call.header().exitTicks), m_scope.processId,
        orNull(deviceOf(payload.deviceOrdinal)), payload.reservedBytes, payload.usedBytes);
}

}  // namespace vramscope::collector
