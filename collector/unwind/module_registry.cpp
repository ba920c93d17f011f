// SPDX-License-Identifier: Apache-2.0
#include "collector/unwind/module_registry.h"

namespace vramscope::unwind {
namespace {

// A word: 35 bits of page number, 14 of digest of the place, 15 of digest of the contents.
constexpr unsigned kPlaceBits = 14;
constexpr unsigned kContentBits = 15;
constexpr unsigned kDigestBits = kPlaceBits + kContentBits;
constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15;

uint64_t mixIn(uint64_t digest, uint64_t value) noexcept {
    digest = (digest ^ value) * kMultiplier;
    return digest ^ digest >> 29;
}

uint64_t mixInBytes(uint64_t digest, ByteRange bytes, size_t maxBytes) noexcept {
    ByteReader reader({bytes.begin, bytes.begin + (bytes.size() < maxBytes ? bytes.size() : maxBytes)});
    while (reader.rest().size() >= 8)
        digest = mixIn(digest, reader.read<uint64_t>());
    while (!reader.atEnd())
        digest = mixIn(digest, reader.read<uint8_t>());
    return digest;
}

uint64_t startOf(uint64_t word) noexcept {
    return word >> kDigestBits << 12;
}

uint64_t topBits(uint64_t digest, unsigned bits) noexcept {
    return digest * kMultiplier >> (64 - bits);
}

uint64_t placeDigest(const ModulePlace& place) noexcept {
    return topBits(mixIn(mixIn(place.start, place.end), place.ehFrameHeader), kPlaceBits);
}

/// A library that was rebuilt and loaded again at the same place differs in its build ID, or where it has
/// none almost surely in the first entries of its search table. The very same library loaded again has the
/// same rules.
uint64_t contentDigest(const ModuleRange& module) noexcept {
    const uint64_t digest = mixInBytes(0, module.buildId, 64);
    return topBits(mixInBytes(digest, ehFrameHeader(module), 256), kContentBits);
}

uint64_t wordOf(const ModuleRange& module) noexcept {
    ModulePlace place;
    if (!findModulePlace(module.start, &place)) return 0;
    return place.start >> 12 << kDigestBits | placeDigest(place) << kContentBits | contentDigest(module);
}

/// Whether the word's module is still where it was. Another thread may be unloading it at this moment, so its
/// contents must not be touched.
bool isPresent(uint64_t word) noexcept {
    ModulePlace place;
    if (!findModulePlace(startOf(word), &place)) return false;
    const uint64_t digest = word >> kContentBits & ((uint64_t{1} << kPlaceBits) - 1);
    return place.start == startOf(word) && placeDigest(place) == digest;
}

size_t firstSlot(uint64_t start, unsigned slotBits) noexcept {
    return static_cast<size_t>((start >> 12) * kMultiplier >> (64 - slotBits));
}

}  // namespace

uint64_t ModuleRegistry::find(uint64_t start) const noexcept {
    const size_t first = firstSlot(start, kSlotBits);
    for (size_t i = 0; i < kSlots; ++i) {
        const uint64_t word = m_slots[(first + i) % kSlots].load(std::memory_order_relaxed);
        if (word == 0 || startOf(word) == start) return word;
    }
    return 0;
}

bool ModuleRegistry::add(uint64_t word) noexcept {
    if (m_count.load(std::memory_order_relaxed) >= kMaxModules) return false;
    const size_t first = firstSlot(startOf(word), kSlotBits);
    for (size_t i = 0; i < kSlots; ++i) {
        uint64_t present = 0;
        if (m_slots[(first + i) % kSlots].compare_exchange_strong(present, word)) {
            m_count.fetch_add(1, std::memory_order_relaxed);
            return true;
        }
        if (present == word) return true;
    }
    return false;
}

bool ModuleRegistry::areAllPresent() const noexcept {
    for (const std::atomic<uint64_t>& slot : m_slots) {
        const uint64_t word = slot.load(std::memory_order_relaxed);
        if (word != 0 && !isPresent(word)) return false;
    }
    return true;
}

bool ModuleRegistry::recordAndCheck(const ModuleRange& module) noexcept {
    const uint64_t word = wordOf(module);
    if (word == 0) return false;
    const uint64_t known = find(module.start);
    if (known == word) return false;
    if (known == 0 && areAllPresent() && add(word)) return false;
    // A module has gone or changed, or the table is full: start over.
    clear();
    add(word);
    return true;
}

void ModuleRegistry::clear() noexcept {
    for (std::atomic<uint64_t>& slot : m_slots)
        slot.store(0, std::memory_order_relaxed);
    m_count.store(0, std::memory_order_relaxed);
}

}  // namespace vramscope::unwind
