// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collector/recorder/event_resolver.h"
#include "collector/recorder/memory_resolver.h"
#include "collector/recorder/object_table.h"

namespace vramscope::collector {

/// An address that a node points at, with the buffer that lived there when the node was made.
struct NodeAddress {
    const char* role;
    std::int64_t bufferId;  ///< 0 none
    std::uint64_t offset;
    std::uint64_t address;
    std::uint64_t sizeBytes;       ///< 0 not known
    std::int64_t parameterOffset;  ///< -1: not a kernel's argument
};

/// A node of a graph before it is written. A capture's nodes wait so until it has ended, since only then is
/// there a graph.
struct NodeDraft {
    formats::GraphNodeKind kind = formats::GraphNodeKind::Empty;
    std::uint64_t node = 0;
    std::uint16_t api = 0;  ///< 0 not known: only that there is such a node
    std::int64_t kernelId = 0;
    std::int64_t childGraphId = 0;
    bool isCaptured = false;
    bool isCut = false;
    std::uint64_t startTicks = 0;
    std::int64_t threadId = 0;
    std::int64_t stackId = 0;
    std::vector<NodeAddress> addresses;
    std::uint64_t memoryAddress = 0;  ///< kinds Alloc and Free
    std::uint64_t memoryBytes = 0;
};

/// Reads drafts from records.
class GraphDrafts {
public:
    GraphDrafts(EventResolver& events, AddressSpace& addresses, ObjectTable& objects)
        : m_events(events), m_addresses(addresses), m_objects(objects) {}

    /// Of a GraphNode record.
    NodeDraft ofNode(const ResolvedCall& call) const;
    /// Of a call that a capture turned into a node: Launch, Copy, Set, StreamWrite, Alloc or Free.
    NodeDraft ofCaptured(const ResolvedCall& call) const;

private:
    static NodeDraft begin(const ResolvedCall& call);
    void addAddress(NodeDraft& draft, const ResolvedCall& call, const char* role, std::uint64_t address,
                    std::uint64_t sizeBytes, std::int64_t parameterOffset = -1) const;
    void addArguments(NodeDraft& draft, const ResolvedCall& call) const;
    void addMemory(NodeDraft& draft, const ResolvedCall& call, std::uint64_t address,
                   std::uint64_t sizeBytes) const;

    EventResolver& m_events;
    AddressSpace& m_addresses;
    ObjectTable& m_objects;
};

}  // namespace vramscope::collector
