// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "collector/recorder/address_space.h"
#include "collector/recorder/process_scope.h"
#include "collector/recorder/task_resolver.h"

namespace vramscope::collector {

/// What the program of one process says of its memory: rows of `ownership` and `sub_buffers`, and its steps.
class OwnershipTable {
public:
    OwnershipTable(ProcessScope& scope, AddressSpace& addresses, TaskResolver& tasks)
        : m_scope(scope), m_addresses(addresses), m_tasks(tasks) {}

    /// An Ownership record.
    void add(const ResolvedCall& call);

    /// Takes over what an interrupted recording left open.
    Status restore(formats::Connection& capture);

private:
    /// A range as the program gave it, cut to the buffer that holds its first byte.
    struct Range {
        std::int64_t bufferId = 0;
        std::uint64_t offset = 0;
        std::uint64_t sizeBytes = 0;
    };
    using OpenPieces = std::map<std::uint64_t, std::int64_t>;  ///< id by first address

    Range rangeOf(const ResolvedCall& call) const;
    Range heapRangeOf(const ResolvedCall& call) const;
    void change(const ResolvedCall& call, const char* kind);
    std::int64_t addPiece(const ResolvedCall& call, const char* kind, std::int64_t taskId);
    void endPiece(OpenPieces& open, std::uint64_t address, std::uint64_t timeTicks);
    void openPiece(OpenPieces& open, const ResolvedCall& call, const char* kind, std::int64_t taskId);
    void endHeap(const ResolvedCall& call);
    void step(const ResolvedCall& call);

    struct Heap {
        std::int64_t pieceId;
        std::uint64_t sizeBytes;
    };

    ProcessScope& m_scope;
    AddressSpace& m_addresses;
    TaskResolver& m_tasks;
    OpenPieces m_blocks;
    std::map<std::uint64_t, Heap> m_heaps;  ///< by first address
    std::int64_t m_openStep = 0;
};

}  // namespace vramscope::collector
