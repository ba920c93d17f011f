// SPDX-License-Identifier: Apache-2.0
#include "collector/unwind/stack_bounds.h"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <unistd.h>

namespace vramscope::unwind {
namespace {

/// Takes /proc/self/maps byte by byte and finds the mapping that holds an address. A line starts "low-high
/// perms".
class MapsScanner {
public:
    explicit MapsScanner(uint64_t address) noexcept : m_address(address) {}

    /// True once the mapping is known; bounds() is then valid.
    bool feed(const char* text, size_t sizeBytes) noexcept {
        for (size_t i = 0; i < sizeBytes; ++i) {
            if (feedOne(text[i])) return true;
        }
        return false;
    }

    StackBounds bounds() const noexcept { return {m_low, m_high}; }

private:
    enum class Field : uint8_t { Low, High, Rest };

    bool feedOne(char character) noexcept {
        if (character == '\n') {
            m_field = Field::Low;
            m_low = 0;
            m_high = 0;
            return false;
        }
        switch (m_field) {
            case Field::Low:
                if (character == '-') {
                    m_field = Field::High;
                } else {
                    m_low = m_low * 16 + digit(character);
                }
                return false;
            case Field::High:
                if (character != ' ') {
                    m_high = m_high * 16 + digit(character);
                    return false;
                }
                m_field = Field::Rest;
                return m_address >= m_low && m_address < m_high;
            default:
                return false;
        }
    }

    static uint64_t digit(char character) noexcept {
        return static_cast<uint64_t>(character <= '9' ? character - '0' : character - 'a' + 10);
    }

    const uint64_t m_address;
    uint64_t m_low = 0;
    uint64_t m_high = 0;
    Field m_field = Field::Low;
};

StackBounds mappingOf(uint64_t address) noexcept {
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    MapsScanner scanner(address);
    StackBounds bounds;
    char buffer[4096];
    for (;;) {
        const ssize_t sizeBytes = read(file, buffer, sizeof(buffer));
        if (sizeBytes < 0 && errno == EINTR) continue;
        if (sizeBytes <= 0) break;
        if (scanner.feed(buffer, static_cast<size_t>(sizeBytes))) {
            bounds = scanner.bounds();
            break;
        }
    }
    close(file);
    return bounds;
}

}  // namespace

StackBounds findStackBounds() noexcept {
    const int savedErrno = errno;
    const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    StackBounds bounds = mappingOf(here);
    // The kernel merges neighbouring mappings, so the line may reach beyond the stack into something that is
    // unmapped later. The C library puts a thread's control block at the top of its stack: never read past
    // it.
    const auto control = reinterpret_cast<uint64_t>(__builtin_thread_pointer());
    if (bounds.contains(control) && control > here) bounds.high = control;
    errno = savedErrno;
    return bounds;
}

}  // namespace vramscope::unwind
