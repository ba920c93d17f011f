// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/model/capture.h"

namespace vramscope::report {

/// The last exception that nothing in the process caught; null when there was none.
const model::JobException* lastExceptionOf(const model::Capture& capture, model::ProcessId process);

/// "an uncaught torch.OutOfMemoryError at train.py:88 (raised at functional.py:2310)": its type, the line of
/// the job's own script, and the line that raised it where that is another one.
std::string exceptionText(const model::JobException& exception);

/// "rank 0 (python train.py)", or "pid 4711 (python train.py)" of a job without ranks.
std::string whoText(const model::Capture& capture, const model::Process& process);

}  // namespace vramscope::report
