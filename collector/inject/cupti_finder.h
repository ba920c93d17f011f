// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace vramscope::collector {

/// Opens the libcupti that this process should use and writes its file name to `path`: the copy that is
/// already mapped (torch links one), else the copy in the Python environment that the mapped frameworks come
/// from (they will load it later, and it must be the same one), else what the loader finds, else the
/// toolkit's usual places. Null if there is none.
void* openCupti(char* path, std::size_t pathBytes);

}  // namespace vramscope::collector
