// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace vramscope::cli {

/// The program that a verb belongs to when it is not this one: "vramscope-capture" for run, recover, ctl,
/// doctor and demo, "vramscope-viewer" for open.
std::optional<std::string_view> ownerOf(std::string_view verb);

/// Becomes `program`, which is looked for beside this executable and in the libexec folder of the same
/// installation. `arguments` are argv from the verb on, null-terminated. Returns only when the program is not
/// there or cannot run, after saying so, with the exit code.
int handOver(std::string_view program, char* const* arguments);

}  // namespace vramscope::cli
