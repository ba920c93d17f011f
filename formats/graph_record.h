// SPDX-License-Identifier: Apache-2.0
#pragma once

// What records say about CUDA graphs, about what processes share with each other, and about peers. A part of
// record.h.

#include <cstddef>
#include <cstdint>

namespace vramscope::formats {

/// What a GraphCall record says.
enum class GraphCallKind : std::uint8_t {
    CaptureBegin,
    CaptureEnd,   ///< of a failed call, too: the capture is over
    Update,       ///< an executable graph runs the nodes of `other` from now on
    NodeDestroy,  ///< `other` is the node
    NodeEnable,   ///< `other` is the node; `value` 0 disables it in the executable graph
    MemoryTrim    ///< of the device whose ordinal is in `value`
};

/// Kinds of graph node, numbered as CUgraphNodeType of cuda.h 13.0.
enum class GraphNodeKind : std::uint8_t {
    Kernel,
    Copy,
    Set,
    Host,
    Child,
    Empty,
    WaitEvent,
    RecordEvent,
    SignalSemaphore,
    WaitSemaphore,
    Alloc,
    Free,
    BatchMemOp,
    Conditional,
    Count
};

/// Handles to memory and events that cross from one process to another: what a Share record says.
enum class ShareKind : std::uint8_t {
    MemoryExport,
    MemoryImport,
    EventExport,
    EventImport,
    HandleExport,  ///< physical memory
    HandleImport,
    PoolExport,
    PoolImport,
    PointerExport,  ///< an allocation of a shared pool
    PointerImport
};

/// GraphCall (detail: GraphCallKind).
struct GraphCallPayload {
    std::uint64_t graph;   ///< CUgraph or CUgraphExec
    std::uint64_t other;   ///< a second graph or a node, by kind
    std::uint64_t stream;  ///< CaptureBegin, CaptureEnd
    std::uint64_t value;
};
/// GraphNode: a node of a graph, or new parameters of one. Low four bits of `detail`: GraphNodeKind; above
/// them the bits below. In continuation slots a kernel has ArgumentWords; a copy or a set has a NodeCopy and
/// a CopyLayout.
struct GraphNodePayload {
    std::uint64_t graph;      ///< CUgraph, or CUgraphExec with kNodeInExec; 0 not known
    std::uint64_t node;       ///< CUgraphNode
    std::uint64_t subject;    ///< kernel: its function; child: its graph; alloc, free: the address
    std::uint64_t sizeBytes;  ///< alloc: bytes asked for
};
inline constexpr std::uint8_t kNodeKindMask = 15;
inline constexpr std::uint8_t kNodeInExec = 16;         ///< parameters were set in an executable graph
inline constexpr std::uint8_t kNodeReplaces = 32;       ///< new parameters of a node that was there
inline constexpr std::uint8_t kNodeAnnounced = 64;      ///< a capture made it; its call's record follows
inline constexpr std::uint8_t kNodeArgumentsCut = 128;  ///< a kernel whose arguments are not all there
struct NodeCopy {
    std::uint64_t destination;
    std::uint64_t source;  ///< 0 for a set
    std::uint64_t sizeBytes;
    std::uint64_t flags;  ///< kCopyToArray, kCopyFromArray
    std::uint64_t unused[4];
};
struct GraphMemoryPayload {
    std::int64_t deviceOrdinal;
    std::uint64_t reservedBytes;
    std::uint64_t usedBytes;
    std::uint64_t unused;
};
/// Share (detail: ShareKind).
struct SharePayload {
    std::uint64_t subject;     ///< the process's own address, event, physical handle or pool
    std::uint64_t bytesHash;   ///< of the handle's bytes; 0 when it is a file descriptor
    std::int32_t descriptor;   ///< of the calling process; -1 when it is bytes
    std::uint32_t handleType;  ///< CUmemAllocationHandleType, 0 for the older calls
    std::uint64_t unused;
};
/// PeerAccess: `detail` 1 enabled, 0 disabled; from the current context to `peerContext`.
struct PeerAccessPayload {
    std::uint64_t peerContext;
    std::uint64_t unused[3];
};

}  // namespace vramscope::formats
