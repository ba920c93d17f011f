// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/model/amounts.h"
#include "analyzer/model/buffer_kind.h"
#include "analyzer/model/capture.h"
#include "analyzer/model/end_kind.h"
#include "analyzer/model/ids.h"
#include "formats/sqlite.h"
#include "formats/status.h"
#include "gui/session/job_slot.h"

namespace vramscope::gui {

/// Position of a row in a BufferStore.
using Row = std::uint32_t;

/// Texts that repeat, by a small number.
class WordList {
public:
    /// The number of `word`; beyond 255 words the last number stands for all that follow.
    std::uint8_t numberOf(std::string_view word);
    std::string_view word(std::uint8_t number) const { return m_words[number]; }
    int size() const { return static_cast<int>(m_words.size()); }

private:
    std::vector<std::string> m_words{std::string()};
    std::unordered_map<std::string, std::uint8_t> m_numbers{{std::string(), 0}};
};

/// Every buffer of a capture as columns: some 70 bytes a buffer, where a row of the model has 170. Behind the
/// buffers come physical VMM handles as rows of their own, which count as live in place of their mappings, as
/// in model::LiveTimeline. Immutable once loaded; any thread may read it.
class BufferStore {
public:
    /// A row's stack, process and so on when it has none.
    static constexpr std::int32_t kNone = -1;

    std::vector<std::int64_t> allocNs;
    std::vector<std::int64_t> freeNs;  ///< kNever while it lives
    std::vector<std::int64_t> sizeBytes;
    std::vector<std::uint64_t> address;
    std::vector<std::int32_t> allocStack;
    std::vector<std::int32_t> freeStack;
    std::vector<std::int32_t> generation;
    std::vector<std::int32_t> task;
    std::vector<std::int32_t> process;
    std::vector<std::int16_t> device;
    std::vector<model::BufferKind> kind;
    std::vector<model::EndKind> endKind;
    std::vector<std::uint8_t> api;
    std::vector<std::uint8_t> countsAsLive;  ///< 1: its bytes are the job's own device memory

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
    Row m_bufferCount = 0;
    std::int64_t m_firstId = 0;
    std::vector<std::int64_t> m_ids;  ///< empty where numbers follow each other, as recorders write them
};

}  // namespace vramscope::gui
