// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/integration/jobs/churn_counters.h"

namespace vramscope::tests {

/// Counters in a file that the job maps too.
class SharedCounters {
public:
    explicit SharedCounters(std::filesystem::path path) : m_path(std::move(path)) {
        const int file = ::open(m_path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (::ftruncate(file, sizeof(jobs::ChurnCounters)) == 0) {
            m_page = ::mmap(nullptr, sizeof(jobs::ChurnCounters), PROT_READ, MAP_SHARED, file, 0);
        }
        ::close(file);
    }
    ~SharedCounters() { ::munmap(m_page, sizeof(jobs::ChurnCounters)); }

    const jobs::ChurnCounters& values() const { return *static_cast<const jobs::ChurnCounters*>(m_page); }
    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
    void* m_page = nullptr;
};

/// The first child of a process; 0 if it has none.
inline pid_t childOf(pid_t parent) {
    const std::string list =
        "/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children";
    FILE* file = std::fopen(list.c_str(), "r");
    if (file == nullptr) return 0;
    int child = 0;
    const int read = std::fscanf(file, "%d", &child);
    std::fclose(file);
    return read == 1 ? child : 0;
}

}  // namespace vramscope::tests
