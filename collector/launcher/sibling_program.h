// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace vramscope::collector {

/// The folder that this program's file lies in.
std::filesystem::path programFolder();

/// The injected library of this installation: ../lib/libvramscope.so beside our bin folder. Empty if it is
/// not there.
std::filesystem::path injectedLibrary();

/// Runs a program of the same installation and waits. With `captured` its standard output goes there, else to
/// ours. nullopt if it could not be started.
std::optional<int> runSibling(const std::string& name, const std::vector<std::string>& arguments,
                              std::string* captured);

}  // namespace vramscope::collector
