// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/model/amounts.h"
#include "analyzer/model/capture.h"
#include "analyzer/model/ids.h"
#include "formats/sqlite.h"
#include "formats/status.h"
#include "gui/session/job_slot.h"
#include "gui/session/store_columns.h"

namespace vramscope::gui {

/// Every buffer of a capture as columns: some 52 bytes a buffer, where a row of the model has 170
/// (docs/decisions/0011-columns.md). Behind the buffers come physical VMM handles as rows of their own, which
/// count as live in place of their mappings, as in model::LiveTimeline. Immutable once loaded; any thread may
/// read it.
class BufferStore {
public:
    /// A row's stack, process and so on when it has none.
    static constexpr std::int32_t kNone = -1;

    BufferStore() = default;
    // Columns of traits point into it.
    BufferStore(const BufferStore&) = delete;
    BufferStore& operator=(const BufferStore&) = delete;

    std::vector<std::int64_t> allocNs;
    std::vector<std::int64_t> freeNs;  ///< kNever while it lives
    SizeColumn sizeBytes;
    std::vector<std::uint64_t> address;
    std::vector<std::int32_t> allocStack;
    std::vector<std::int32_t> freeStack;
    std::vector<std::int32_t> generation;
    std::vector<std::uint32_t> traitsOf;  ///< numbers in `traits`
    TraitsList traits;
    const TraitColumn<std::int32_t> task{traitsOf, traits, &BufferTraits::task};
    const TraitColumn<std::int32_t> process{traitsOf, traits, &BufferTraits::process};
    const TraitColumn<std::int16_t> device{traitsOf, traits, &BufferTraits::device};
    const TraitColumn<model::BufferKind> kind{traitsOf, traits, &BufferTraits::kind};
    const TraitColumn<model::EndKind> endKind{traitsOf, traits, &BufferTraits::endKind};
    const TraitColumn<std::uint8_t> api{traitsOf, traits, &BufferTraits::api};
    const TraitColumn<std::uint8_t> countsAsLive{traitsOf, traits, &BufferTraits::countsAsLive};

    /// Allocations and frees in order of time, a free before an allocation of the same moment: row * 2, plus
    /// 1 for a free.
    std::vector<std::uint32_t> events;
    WordList apis;
    std::int64_t lastNs = 0;  ///< the latest moment that any row speaks of

    /// Rows that are buffers; those from here on are handles.
    Row bufferCount() const { return m_bufferCount; }
    Row rowCount() const { return static_cast<Row>(allocNs.size()); }
    bool isLiveAt(Row row, std::int64_t timeNs) const {
        return allocNs[row] <= timeNs && timeNs < freeNs[row];
    }
    std::int64_t timeOfEvent(std::uint32_t event) const {
        return (event & 1U) ? freeNs[event >> 1U] : allocNs[event >> 1U];
    }
    /// Position of the first event at or after a moment.
    std::size_t firstEventAt(std::int64_t timeNs) const;
    /// Number of the buffer in a row; -1 for a handle.
    std::int64_t idOf(Row row) const {
        if (row >= m_bufferCount) return -1;
        return m_ids.empty() ? m_firstId + row : m_ids[row];
    }
    /// The row of a buffer, or rowCount() when there is none.
    Row rowOf(model::BufferId id) const;
    /// "b7f1234000000.3".
    std::string nameOf(Row row) const;
    model::StackId allocStackOf(Row row) const { return {allocStack[row]}; }
    model::StackId freeStackOf(Row row) const { return {freeStack[row]}; }
    std::size_t memoryBytes() const;

    /// Loads the buffers of the capture at `facts.path` on up to `threads` connections. Unreadable as
    /// model::loadCapture(); Incomplete when cancelled.
    static StatusOr<std::shared_ptr<const BufferStore>> load(const model::Capture& facts, int threads,
                                                             const Cancel& cancel);

private:
    friend class StoreLoader;
    friend class StoreRows;
    Row m_bufferCount = 0;
    std::int64_t m_firstId = 0;
    std::vector<std::int64_t> m_ids;  ///< empty where numbers follow each other, as recorders write them
};

}  // namespace vramscope::gui
