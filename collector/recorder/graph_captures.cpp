// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/graph_captures.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vramscope::collector {

using formats::GraphNodeKind;

namespace {

// The recorder's memory must not follow what a job captures without end.
constexpr std::size_t kMostNodes = 1'000'000;
constexpr std::size_t kMostAnnounced = 100'000;

bool hasAddresses(GraphNodeKind kind) {
    return kind == GraphNodeKind::Kernel || kind == GraphNodeKind::Copy || kind == GraphNodeKind::Set ||
           kind == GraphNodeKind::BatchMemOp || kind == GraphNodeKind::Alloc || kind == GraphNodeKind::Free;
}

}  // namespace

void GraphCaptures::announce(const ResolvedCall& call) {
    const formats::GraphNodePayload& payload = call.record.graphNode;
    std::vector<Announced>& ofThread = m_announced[call.threadId];
    if (ofThread.size() >= kMostAnnounced) {
        m_isWhole = false;
        return;
    }
    ofThread.push_back({call.header().exitTicks, payload.graph, payload.node,
                        static_cast<GraphNodeKind>(call.header().detail & formats::kNodeKindMask),
                        call.threadId});
}

void GraphCaptures::forgetAnnounced(const ResolvedCall& call) {
    const auto found = m_announced.find(call.threadId);
    if (found == m_announced.end()) return;
    std::erase_if(found->second, [&call](const Announced& a) { return a.ticks >= call.header().enterTicks; });
}

void GraphCaptures::begin(std::int64_t streamId, std::uint64_t graph) {
    m_open[streamId] = {graph, {}};
}

void GraphCaptures::keep(std::uint64_t graph, NodeDraft draft) {
    if (m_kept >= kMostNodes) {
        m_isWhole = false;
        return;
    }
    ++m_kept;
    m_named[graph].push_back(std::move(draft));
}

// A node whose call has no record: an event, a host function.
void GraphCaptures::keepBare(const Announced& announced) {
    NodeDraft draft;
    draft.kind = announced.kind;
    draft.node = announced.node;
    draft.isCaptured = true;
    draft.isCut = hasAddresses(announced.kind);
    draft.startTicks = announced.ticks;
    draft.threadId = announced.threadId;
    keep(announced.graph, std::move(draft));
}

void GraphCaptures::add(const ResolvedCall& call, std::int64_t streamId, NodeDraft draft) {
    std::vector<Announced>& ofThread = m_announced[call.threadId];
    auto at = ofThread.begin();
    for (; at != ofThread.end() && at->ticks < call.header().enterTicks; ++at)
        keepBare(*at);
    const auto open = m_open.find(streamId);
    if (at != ofThread.end()) {
        draft.node = at->node;
        if (open != m_open.end()) open->second.graph = at->graph;
        keep(at->graph, std::move(draft));
        ++at;
    } else if (open != m_open.end() || m_open.size() == 1) {
        Open& capture = open != m_open.end() ? open->second : m_open.begin()->second;
        if (++m_kept <= kMostNodes) capture.unnamed.push_back(std::move(draft));
    } else {
        m_isWhole = false;
    }
    ofThread.erase(ofThread.begin(), at);
    if (ofThread.empty()) m_announced.erase(call.threadId);
}

std::vector<NodeDraft> GraphCaptures::end(std::int64_t streamId, std::uint64_t graph, bool& isWhole) {
    for (auto& [thread, announced] : m_announced) {
        for (const Announced& one : announced)
            keepBare(one);
        announced.clear();
    }
    const auto open = m_open.find(streamId);
    if (graph == 0 && open != m_open.end()) graph = open->second.graph;
    std::vector<NodeDraft> nodes;
    if (const auto named = m_named.find(graph); named != m_named.end()) {
        nodes = std::move(named->second);
        m_named.erase(named);
    }
    if (open != m_open.end()) {
        std::move(open->second.unnamed.begin(), open->second.unnamed.end(), std::back_inserter(nodes));
        m_open.erase(open);
    }
    // The only capture, though its nodes were announced under another handle.
    if (nodes.empty() && m_open.empty() && m_named.size() == 1) nodes = std::move(m_named.begin()->second);
    isWhole = m_isWhole && m_kept <= kMostNodes;
    if (m_open.empty()) {
        // What is left belonged to captures that failed; their handles may come again.
        m_named.clear();
        m_kept = 0;
        m_isWhole = true;
    }
    std::stable_sort(nodes.begin(), nodes.end(),
                     [](const NodeDraft& a, const NodeDraft& b) { return a.startTicks < b.startTicks; });
    return nodes;
}

}  // namespace vramscope::collector
