// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace vramscope::collector {

/// One line of /proc/self/maps.
struct Mapping {
    std::uintptr_t begin;
    std::uintptr_t end;
    bool isReadable;
    bool isWritable;
    bool isPrivate;
};

/// The mappings of this process at one moment, in address order, in memory of its own beside the job's heap.
class MappingList {
public:
    MappingList() = default;
    MappingList(const MappingList&) = delete;
    MappingList& operator=(const MappingList&) = delete;
    ~MappingList();

    /// Reads them. False if the system does not tell, or if there are more than 64 Ki.
    bool read();

    std::size_t count() const { return m_count; }
    const Mapping& operator[](std::size_t index) const { return m_mappings[index]; }

private:
    bool addLine(const char* line, const char* end);

    Mapping* m_mappings = nullptr;
    std::size_t m_count = 0;
};

}  // namespace vramscope::collector
