// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <filesystem>

namespace vramscope::gui {

/// What can be told of a capture that cannot be opened, because it is damaged or newer than this viewer: its
/// command, host, time and the program that wrote it, a line each. Empty when not even that can be read.
QStringList glimpse(const std::filesystem::path& path);

}  // namespace vramscope::gui
