// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/mapping_list.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace vramscope::collector {

namespace {

constexpr std::size_t kMaxMappings = std::size_t{1} << 16;
constexpr std::size_t kListBytes = kMaxMappings * sizeof(Mapping);

// The number in hexadecimal at `text`, which is moved behind it.
std::uintptr_t takeNumber(const char*& text, const char* end) {
    std::uintptr_t number = 0;
    for (; text < end; ++text) {
        const char c = *text;
        if (c >= '0' && c <= '9') {
            number = number * 16 + static_cast<std::uintptr_t>(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            number = number * 16 + static_cast<std::uintptr_t>(c - 'a' + 10);
        } else {
            break;
        }
    }
    return number;
}

}  // namespace

MappingList::~MappingList() {
    if (m_mappings != nullptr) ::munmap(m_mappings, kListBytes);
}

bool MappingList::addLine(const char* line, const char* end) {
    if (m_count == kMaxMappings) return false;
    Mapping& mapping = m_mappings[m_count];
    mapping.begin = takeNumber(line, end);
    ++line;
    mapping.end = takeNumber(line, end);
    constexpr std::ptrdiff_t kPermissionBytes = 5;  // " rwxp"
    if (end - line < kPermissionBytes) return false;
    mapping.isReadable = line[1] == 'r';
    mapping.isWritable = line[2] == 'w';
    mapping.isPrivate = line[4] == 'p';
    ++m_count;
    return true;
}

bool MappingList::read() {
    void* list = ::mmap(nullptr, kListBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (list == MAP_FAILED) return false;
    m_mappings = static_cast<Mapping*>(list);
    const int file = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    // A line is at most a path and 73 characters.
    char text[8192];
    std::size_t held = 0;
    bool isWhole = true;
    for (;;) {
        const ssize_t got = ::read(file, text + held, sizeof(text) - held);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        held += static_cast<std::size_t>(got);
        const char* line = text;
        while (const void* newline = std::memchr(line, '\n', static_cast<std::size_t>(text + held - line))) {
            isWhole = addLine(line, static_cast<const char*>(newline)) && isWhole;
            line = static_cast<const char*>(newline) + 1;
        }
        held = static_cast<std::size_t>(text + held - line);
        if (held == sizeof(text)) isWhole = false;
        if (!isWhole) break;
        std::memmove(text, line, held);
    }
    ::close(file);
    return isWhole && m_count != 0;
}

}  // namespace vramscope::collector
