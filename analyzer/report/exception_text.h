// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/model/capture.h"

namespace vramscope::report {

/// model::describeException() for a terminal.
std::string exceptionText(const model::JobException& exception);

/// "rank 0 (python train.py)", or "pid 4711 (python train.py)" of a job without ranks.
std::string whoText(const model::Capture& capture, const model::Process& process);

}  // namespace vramscope::report
