// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/capture_loader.h"
#include "gui/session/buffer_store.h"

namespace vramscope::gui {

/// What threads that fill one store share.
struct SharedNumbers {
    std::mutex mutex;
    WordList* apis;
    TraitsList* traits;
};

/// Puts rows of the table buffers into a store; one for each thread. A source of rows is a
/// formats::Statement or formats::PageCursor with kColumns.
class BufferRowReader {
public:
    static constexpr std::array<const char*, 15> kColumns{
        "buffer_id",      "process_id", "kind",          "address",  "generation",
        "size_bytes",     "device_id",  "handle_id",     "api",      "alloc_ns",
        "alloc_stack_id", "free_ns",    "free_stack_id", "end_kind", "task_id"};

    BufferRowReader(BufferStore& store, const model::Capture& facts, SharedNumbers& numbers)
        : m_store(store), m_facts(facts), m_numbers(numbers) {}

    /// Fills the store's row `at`, which no other thread touches. False for a size that no memory can have.
    template <typename Source>
    bool read(const Source& row, Row at) {
        const std::int64_t bytes = row.columnInt(5);
        if (bytes < 0 || bytes > model::kLargestBytes) return false;
        m_store.sizeBytes.set(at, bytes, m_larges);
        m_store.address[at] = row.columnAddress(3);
        m_store.generation[at] = static_cast<std::int32_t>(row.columnInt(4));
        m_store.allocNs[at] = timeOf(row, 9);
        m_store.allocStack[at] = smallId(row, 10);
        const std::int64_t freeNs = timeOf(row, 11);
        m_store.freeNs[at] = freeNs;
        m_store.freeStack[at] = smallId(row, 12);
        BufferTraits traits;
        traits.process = smallId(row, 1);
        traits.task = smallId(row, 14);
        traits.device = static_cast<std::int16_t>(std::min<std::int32_t>(smallId(row, 6), 32767));
        traits.kind = m_kind.of(row.columnText(2), model::bufferKindFromName);
        traits.api = m_api.of(row.columnText(8), [this](std::string_view word) {
            const std::lock_guard lock(m_numbers.mutex);
            return m_numbers.apis->numberOf(word);
        });
        traits.endKind = m_endKind.of(row.columnText(13), model::endKindFromName);
        if (freeNs != model::kNever && traits.endKind == model::EndKind::Live)
            traits.endKind = model::EndKind::Freed;
        const bool isCountedByHandle = traits.kind == model::BufferKind::Vmm && !row.isNull(7) &&
                                       m_facts.vmmHandles.find(model::HandleId{row.columnInt(7)}) != nullptr;
        traits.countsAsLive = model::isOwnDeviceMemory(traits.kind) && !isCountedByHandle ? 1 : 0;
        m_store.traitsOf[at] = numberOf(traits);
        return true;
    }
    /// For SizeColumn::addLarges().
    const std::vector<SizeColumn::Large>& larges() const { return m_larges; }

private:
    /// What a word means, remembered for the last two: most rows repeat them, and comparing is cheaper than
    /// looking up.
    template <typename Meaning>
    class LastWords {
    public:
        template <typename LookUp>
        Meaning of(std::string_view word, LookUp lookUp) {
            for (std::size_t i = 0; i < std::min(m_count, m_words.size()); ++i) {
                if (m_words[i].first == word) return m_words[i].second;
            }
            auto& entry = m_words[m_count++ % m_words.size()];
            entry = {std::string(word), lookUp(word)};
            return entry.second;
        }

    private:
        std::array<std::pair<std::string, Meaning>, 2> m_words{};
        std::size_t m_count = 0;
    };

    /// A number, or nothing. Asking for its type costs as much as asking for the number, which is 0 for NULL.
    template <typename Source>
    static bool isAbsent(const Source& row, int column, std::int64_t value) {
        return value == 0 && row.isNull(column);
    }
    template <typename Source>
    static std::int32_t smallId(const Source& row, int column) {
        const std::int64_t id = row.columnInt(column);
        if (isAbsent(row, column, id)) return BufferStore::kNone;
        return id < 0 || id > std::numeric_limits<std::int32_t>::max() ? BufferStore::kNone
                                                                       : static_cast<std::int32_t>(id);
    }
    template <typename Source>
    static std::int64_t timeOf(const Source& row, int column) {
        const std::int64_t timeNs = row.columnInt(column);
        return isAbsent(row, column, timeNs) ? model::kNever : std::max<std::int64_t>(timeNs, 0);
    }

    std::uint32_t numberOf(const BufferTraits& traits) {
        auto& [known, number] = m_recent[traits.hash() % m_recent.size()];
        if (number != kUnknown && known == traits) return number;
        const std::lock_guard lock(m_numbers.mutex);
        known = traits;
        number = m_numbers.traits->numberOf(traits);
        return number;
    }

    static constexpr std::uint32_t kUnknown = 0xffffffff;
    struct Recent {
        BufferTraits traits;
        std::uint32_t number = kUnknown;
    };

    BufferStore& m_store;
    const model::Capture& m_facts;
    SharedNumbers& m_numbers;
    LastWords<model::BufferKind> m_kind;
    LastWords<std::uint8_t> m_api;
    LastWords<model::EndKind> m_endKind;
    std::array<Recent, 256> m_recent{};
    std::vector<SizeColumn::Large> m_larges;
};

}  // namespace vramscope::gui
