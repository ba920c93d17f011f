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
        const ParameterWords* parameters = layout.parameters();
        for (std::uint32_t i = 0; i < layout.parameterCount; ++i) {
            const ParameterWords& parameter = parameters[i];
            const auto* value = static_cast<const char*>(values[parameter.parameter]);
            if (value == nullptr) continue;
            for (std::uint32_t word = 0; word < parameter.count; ++word) {
                std::uint64_t bits;
                __builtin_memcpy(&bits, value + parameter.firstByte + std::size_t{8} * word, sizeof(bits));
                consider(bits, parameter.blockOffset4 * 4u + word * 8u);
            }
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
    formats::ArgumentWord* m_words;
    std::uint32_t m_capacity;
    std::uint32_t m_count = 0;
    bool m_isCut = false;
};

}  // namespace vramscope::collector
