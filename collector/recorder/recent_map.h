// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vramscope::collector {

/// The latest answers of a look-up that is asked for each event, in front of the map that knows all of them.
/// Each key has one place, so a look-up is a multiplication and a compare; two keys that share a place push
/// each other out. The owner calls forget() whenever the map's answer changes. The key Key{} marks an empty
/// place and is never found. `Size` is a power of two.
template <typename Key, typename Value, std::size_t Size>
class RecentMap {
public:
    /// The value put for `key`, or null. `hash` is any number that differs between keys, such as a handle.
    const Value* find(std::uint64_t hash, const Key& key) const {
        const Entry& entry = m_entries[placeOf(hash)];
        return entry.key == key && key != Key{} ? &entry.value : nullptr;
    }
    void put(std::uint64_t hash, const Key& key, const Value& value) {
        m_entries[placeOf(hash)] = {key, value};
    }
    void forget() { m_entries.fill({}); }

private:
    struct Entry {
        Key key{};
        Value value{};
    };
    static_assert((Size & (Size - 1)) == 0);

    static std::size_t placeOf(std::uint64_t hash) {
        return static_cast<std::size_t>((hash * 0x9E37'79B9'7F4A'7C15ull) >> 32) & (Size - 1);
    }

    std::array<Entry, Size> m_entries{};
};

}  // namespace vramscope::collector
