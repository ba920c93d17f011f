// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace vramscope::formats {

/// The start time, in clock ticks since boot, from the text of /proc/PID/stat (field 22, proc(5)). A pid can
/// be reused; a pid and its start time cannot. Returns 0 if the text is not of that form. Counts from the
/// last ')' because the program name before it may hold spaces and parentheses.
inline std::uint64_t startTicksOf(const char* statText) {
    const char* at = std::strrchr(statText, ')');
    if (at == nullptr) return 0;
    // The field after ')' is number 3.
    for (int field = 2; field < 22; ++field) {
        at = std::strchr(at, ' ');
        if (at == nullptr) return 0;
        ++at;
    }
    return std::strtoull(at, nullptr, 10);
}

}  // namespace vramscope::formats
