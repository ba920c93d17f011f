// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace vramscope::collector {

/// The capture's name when the user gave none: PROGRAM.vramscope in the current folder, or the next free
/// PROGRAM.N.vramscope.
std::filesystem::path freeCaptureName(const std::string& program);

/// Replaces %p (our process id), %h (host) and %r (rank, 0 without one) in a name the user gave; %% is a
/// percent sign.
std::filesystem::path expandCaptureName(const std::string& pattern);

}  // namespace vramscope::collector
