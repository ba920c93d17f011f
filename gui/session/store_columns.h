// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/model/buffer_kind.h"
#include "analyzer/model/end_kind.h"

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

/// Bytes of every row. All but a few are below 4 GiB and take four bytes; the others lie beside them, in
/// order of the row.
class SizeColumn {
public:
    using Large = std::pair<Row, std::int64_t>;

    std::int64_t operator[](Row row) const { return m_bytes[row] != kIsLarge ? m_bytes[row] : large(row); }

    void resize(std::size_t count) { m_bytes.resize(count); }
    /// Rows may be set by several threads, each with a `larges` of its own.
    void set(Row row, std::int64_t bytes, std::vector<Large>& larges) {
        const bool isSmall = bytes >= 0 && bytes < std::int64_t{kIsLarge};
        m_bytes[row] = isSmall ? static_cast<std::uint32_t>(bytes) : kIsLarge;
        if (!isSmall) larges.emplace_back(row, bytes);
    }
    /// Takes what set() put aside; larger rows in each call than in the one before.
    void addLarges(const std::vector<Large>& larges) {
        m_larges.insert(m_larges.end(), larges.begin(), larges.end());
    }
    void push_back(std::int64_t bytes) {
        m_bytes.emplace_back();
        std::vector<Large> larges;
        set(static_cast<Row>(m_bytes.size() - 1), bytes, larges);
        addLarges(larges);
    }
    /// Gives a row's bytes to an earlier one; called in order of the rows.
    void move(Row from, Row to);
    std::size_t memoryBytes() const { return m_bytes.size() * 4 + m_larges.size() * sizeof(Large); }

private:
    static constexpr std::uint32_t kIsLarge = 0xffffffff;
    std::int64_t large(Row row) const;

    std::vector<std::uint32_t> m_bytes;
    std::vector<Large> m_larges;
};

/// What many buffers have in common.
struct BufferTraits {
    std::int32_t process = -1;
    std::int32_t task = -1;
    std::int16_t device = -1;
    model::BufferKind kind = model::BufferKind::Unknown;
    model::EndKind endKind = model::EndKind::Live;
    std::uint8_t api = 0;
    std::uint8_t countsAsLive = 0;  ///< 1: its bytes are the job's own device memory

    bool operator==(const BufferTraits&) const = default;
    std::size_t hash() const;
};

/// Different traits by number; millions of buffers share a few hundred.
class TraitsList {
public:
    std::uint32_t numberOf(const BufferTraits& traits);
    const BufferTraits& operator[](std::uint32_t number) const { return m_traits[number]; }
    std::size_t size() const { return m_traits.size(); }

private:
    struct Hash {
        std::size_t operator()(const BufferTraits& traits) const { return traits.hash(); }
    };
    std::vector<BufferTraits> m_traits;
    std::unordered_map<BufferTraits, std::uint32_t, Hash> m_numbers;
};

/// One of the traits of every row, read like a vector. Looks into what it was made from, which stays where it
/// is.
template <typename Value>
class TraitColumn {
public:
    TraitColumn(const std::vector<std::uint32_t>& numbers, const TraitsList& list, Value BufferTraits::*trait)
        : m_numbers(numbers), m_list(list), m_trait(trait) {}
    Value operator[](Row row) const { return m_list[m_numbers[row]].*m_trait; }

private:
    const std::vector<std::uint32_t>& m_numbers;
    const TraitsList& m_list;
    Value BufferTraits::*m_trait;
};

}  // namespace vramscope::gui
