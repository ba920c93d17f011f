// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vramscope::collector {

/// Writes one line, "vramscope: " and the printf-style text, to the job's standard error in a single
/// write(2). For rare events only: it formats on the stack and allocates nothing. Lines over 500 bytes are
/// cut.
void logLine(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace vramscope::collector
