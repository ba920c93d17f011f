// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/launch_pointers.h"

#include <algorithm>

namespace vramscope::model {
namespace {

/// Position of `setId` among sets that begin with `first`; wraps to something huge when it is before them.
std::uint64_t indexOf(std::int64_t setId, std::int64_t first) {
    return static_cast<std::uint64_t>(setId) - static_cast<std::uint64_t>(first);
}

}  // namespace

StatusOr<LaunchPointers> LaunchPointers::open(formats::Connection& connection) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement chunk,
        connection.prepare("SELECT first_set_id, data FROM argument_chunks"
                           " WHERE first_set_id <= ?1 ORDER BY first_set_id DESC LIMIT 1"));
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement single,
                               connection.prepare("SELECT parameter_offset, buffer_id, offset FROM"
                                                  " launch_arguments WHERE argument_set_id = ?1"));
    return LaunchPointers(std::move(chunk), std::move(single));
}

std::span<const formats::LaunchArgument> LaunchPointers::of(std::int64_t setId) {
    ++m_uses;
    for (std::size_t i = 0; i < kKept; ++i) {
        Kept& kept = m_kept[(m_last + i) % kKept];
        const std::uint64_t index = indexOf(setId, kept.firstSetId);
        if (kept.lastUse == 0 || index >= kept.chunk.setCount()) continue;
        kept.lastUse = m_uses;
        m_last = (m_last + i) % kKept;
        return kept.chunk.set(index);
    }
    if (m_singles[static_cast<std::size_t>(setId) % kSingles].setId == setId) return single(setId);
    const StatusOr<bool> isPacked = unpackChunkOf(setId);
    if (!isPacked.isOk()) m_status = isPacked.status();
    if (!isPacked.isOk()) return {};
    if (!*isPacked) return single(setId);
    return m_kept[m_last].chunk.set(indexOf(setId, m_kept[m_last].firstSetId));
}

std::span<const formats::LaunchArgument> LaunchPointers::single(std::int64_t setId) {
    Single& single = m_singles[static_cast<std::size_t>(setId) % kSingles];
    if (single.setId == setId) return single.arguments;
    single.setId = setId;
    single.arguments.clear();
    if (const Status status = readSingle(single); !status.isOk()) m_status = status;
    return single.arguments;
}

StatusOr<bool> LaunchPointers::unpackChunkOf(std::int64_t setId) {
    m_chunkRow.reset();
    m_chunkRow.bind(1, setId);
    VRAMSCOPE_ASSIGN_OR_RETURN(const bool found, m_chunkRow.step());
    if (!found) return false;
    const auto oldest = std::ranges::min_element(m_kept, {}, &Kept::lastUse);
    oldest->lastUse = 0;
    oldest->firstSetId = m_chunkRow.columnInt(0);
    VRAMSCOPE_ASSIGN_OR_RETURN(oldest->chunk,
                               formats::decodeArgumentChunk(m_chunkRow.columnBlob(1), m_decompressor));
    oldest->lastUse = m_uses;
    m_last = static_cast<std::size_t>(oldest - m_kept.begin());
    return indexOf(setId, oldest->firstSetId) < oldest->chunk.setCount();
}

Status LaunchPointers::readSingle(Single& single) {
    m_singleRows.reset();
    m_singleRows.bind(1, single.setId);
    for (;;) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, m_singleRows.step());
        if (!hasRow) return Status::ok();
        single.arguments.push_back({static_cast<std::uint32_t>(m_singleRows.columnInt(0)),
                                    m_singleRows.columnInt(1), m_singleRows.columnAddress(2)});
    }
}

}  // namespace vramscope::model
