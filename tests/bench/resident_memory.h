// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <unistd.h>

namespace vramscope::bench {

/// Private memory of this process that is in use, in MiB: without what is mapped from files, such as a ring.
inline double residentMiB() {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) return 0;
    unsigned long size = 0;
    unsigned long resident = 0;
    unsigned long shared = 0;
    const int read = std::fscanf(file, "%lu %lu %lu", &size, &resident, &shared);
    std::fclose(file);
    if (read != 3) return 0;
    return static_cast<double>(resident - shared) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace vramscope::bench
