// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "formats/status.h"

namespace vramscope::collector {

/// Asks `question` in a forked child and returns what it returned there. A child that crashes, or has not
/// answered in time and is killed, is an error (System) that says so: code that is not ours cannot hurt this
/// process. What the child prints is lost. To be called while this process has one thread.
StatusOr<std::string> askInChild(const std::function<std::string()>& question,
                                 std::chrono::milliseconds limit);

}  // namespace vramscope::collector
