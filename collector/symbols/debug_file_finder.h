// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/symbols/elf_reader.h"

namespace vramscope::symbols {

/// Finds the file with the debug information that was split off `module` (whose path is `modulePath` inside
/// `root`): by build id, then by .gnu_debuglink beside it, in .debug/ and under `debugFolders`, as gdb does.
/// A file whose build id differs, or whose checksum does where there is no build id, is not taken.
std::optional<ElfReader> findDebugFile(const ElfReader& module, const std::string& root,
                                       const std::string& modulePath,
                                       const std::vector<std::string>& debugFolders);

}  // namespace vramscope::symbols
