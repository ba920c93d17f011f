// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/inject/address_filter.h"
#include "collector/inject/kernel_layouts.h"
#include "formats/record.h"

namespace vramscope::collector {

inline constexpr std::uint32_t kWordsPerSlot = formats::kSlotBytes / sizeof(formats::ArgumentWord);

/// More argument words than this a record does not hold.
inline constexpr std::uint32_t kMaxArguments = (formats::kMaxRecordSlots - 1) * kWordsPerSlot;

/// Slots behind a launch's first that `words` argument words fill.
constexpr std::uint32_t argumentSlots(std::uint32_t words) {
    return (words + kWordsPerSlot - 1) / kWordsPerSlot;
}

/// Writes the argument words that may be pointers straight into a reserved record.
class ArgumentWriter {
public:
    /// `words` has room for `capacity` words, a whole number of slots.
    ArgumentWriter(formats::ArgumentWord* words, std::uint32_t capacity)
        : m_words(words), m_capacity(capacity) {}

    /// Keeps `word` if it points into memory that CUDA ever knew.
    void consider(std::uint64_t word, std::uint32_t blockOffset) {
        if (!g_hot.addressFilter.mayPoint(word)) return;
        if (m_count < m_capacity) {
            m_words[m_count++] = formats::packArgument(word, blockOffset);
        } else {
            m_isCut = true;
        }
    }

    /// The words of all parameters of one launch, as cuLaunchKernel takes them: one pointer a parameter.
    [[gnu::hot]] void considerAll(const KernelLayout& layout, void* const* values) {
        if (layout.wordCount <= kFewWords && m_capacity - m_count >= layout.wordCount) {
            considerFew(layout, values);
        } else {
            considerMany(layout, values);
        }
    }

    /// Zeroes the rest of the last slot and tells how many slots are used.
    std::uint32_t finish() {
        const std::uint32_t slots = argumentSlots(m_count);
        for (std::uint32_t i = m_count; i < slots * kWordsPerSlot; ++i)
            m_words[i] = 0;
        return slots;
    }

    /// Whether there were more pointers than room.
    bool isCut() const { return m_isCut; }

private:
    static std::uint64_t wordAt(const char* place) {
        std::uint64_t word;
        __builtin_memcpy(&word, place, sizeof(word));
        return word;
    }

    // Most kernels. Which words are pointers is another pattern for each kernel, so a branch on it would be
    // guessed wrongly: each word is written, and counts only if it is one.
    void considerFew(const KernelLayout& layout, void* const* values) {
        const AddressFilter::View filter = g_hot.addressFilter.view();
        formats::ArgumentWord* next = m_words + m_count;
        const ParameterWords* const end = layout.parameters() + layout.parameterCount;
        for (const ParameterWords* words = layout.parameters(); words != end; ++words) {
            const auto* value = static_cast<const char*>(values[words->parameter]);
            if (value == nullptr) [[unlikely]]
                continue;
            const std::uint64_t word = wordAt(value + words->firstByte);
            *next = formats::packArgument(word, words->blockOffset4 * 4u);
            next += filter.mayPointBranchless(word);
        }
        m_count = static_cast<std::uint32_t>(next - m_words);
    }

    // A framework's kernel over many tensors brings a structure of 4 KiB, so what is asked of each word is
    // kept in registers: stores to the record might otherwise be to any of it.
    void considerMany(const KernelLayout& layout, void* const* values) {
        const AddressFilter::View filter = g_hot.addressFilter.view();
        formats::ArgumentWord* next = m_words + m_count;
        formats::ArgumentWord* const end = m_words + m_capacity;
        const ParameterWords* parameter = layout.parameters();
        const ParameterWords* const lastParameter = parameter + layout.parameterCount;
        for (; parameter != lastParameter; ++parameter) {
            const auto* value = static_cast<const char*>(values[parameter->parameter]);
            if (value == nullptr) continue;
            value += parameter->firstByte;
            std::uint32_t blockOffset = parameter->blockOffset4 * 4u;
            const char* const valueEnd = value + std::size_t{8} * parameter->count;
            for (; value != valueEnd; value += 8, blockOffset += 8) {
                const std::uint64_t word = wordAt(value);
                if (!filter.mayPoint(word)) continue;
                if (next == end) {
                    m_isCut = true;
                    break;
                }
                *next++ = formats::packArgument(word, blockOffset);
            }
        }
        m_count = static_cast<std::uint32_t>(next - m_words);
    }

    formats::ArgumentWord* m_words;
    std::uint32_t m_capacity;
    std::uint32_t m_count = 0;
    bool m_isCut = false;
};

}  // namespace vramscope::collector
