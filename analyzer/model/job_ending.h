// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "analyzer/model/capture.h"

namespace vramscope::model {

/// The last exception that nothing in the process caught; null when there was none.
const JobException* lastExceptionOf(const Capture& capture, ProcessId process);

/// "an uncaught torch.OutOfMemoryError at train.py:88 (raised at functional.py:2310)": its type, the line of
/// the job's own script, and the line that raised it where that is another one. As the job has it: not for a
/// terminal.
std::string describeException(const JobException& exception);

/// How a process ended that did not end well.
struct BadEnding {
    std::int64_t timeNs = 0;
    std::string text;  ///< "an uncaught RuntimeError at train.py:88", "signal 6 ended pid 4711"
};

/// None for a process that ended well, still runs, or of which nobody could say.
std::optional<BadEnding> badEndingOf(const Capture& capture, ProcessId process);

}  // namespace vramscope::model
