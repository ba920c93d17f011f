// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace vramscope::cli {

/// A verb that another program of the installation carries out.
struct HandedVerb {
    std::string_view verb;
    std::string_view program;
    std::string_view help;
};

/// The program that a verb belongs to when it is not this one: "vramscope-capture" for run, recover, doctor
/// and demo, "vramscope-viewer" for open.
std::optional<std::string_view> ownerOf(std::string_view verb);

/// Those of the handed verbs whose program is installed here: no others are worth a word to the user.
std::vector<HandedVerb> installedVerbs();

/// True when handOver(program) would find it.
bool isInstalled(std::string_view program);

/// Becomes `program`, which is looked for beside this executable and in the libexec folder of the same
/// installation. `arguments` are argv from the verb on, null-terminated. Returns only when the program is not
/// there or cannot run, after saying so, with the exit code.
int handOver(std::string_view program, char* const* arguments);

}  // namespace vramscope::cli
