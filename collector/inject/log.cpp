// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/log.h"

#include <cstdarg>
#include <cstdio>
#include <unistd.h>

#include "collector/inject/cancellation_guard.h"

namespace vramscope::collector {

void logLine(const char* format, ...) {
    const CancellationGuard noCancellation;
    char line[512] = "vramscope: ";
    constexpr int kPrefix = 11;
    va_list arguments;
    va_start(arguments, format);
    // va_start stands right above; clang-tidy 14 does not see it in this function.
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
    int length = std::vsnprintf(line + kPrefix, sizeof(line) - kPrefix - 1, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    if (length > static_cast<int>(sizeof(line)) - kPrefix - 2) length = sizeof(line) - kPrefix - 2;
    line[kPrefix + length] = '\n';
    // A closed or full standard error is the job's affair; there is nobody else to tell.
    [[maybe_unused]] ssize_t written =
        ::write(STDERR_FILENO, line, static_cast<std::size_t>(length) + kPrefix + 1);
}

}  // namespace vramscope::collector
