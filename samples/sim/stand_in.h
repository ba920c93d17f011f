// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace vramscope::sim {

/// The simulation cannot run machine code of a GPU. For an image that nvcc made it looks beside its own
/// library for a module built by g++ from the same source: the one (*.module) all of whose kernels the image
/// names. Returns that module's bytes, empty if there is none. `fatbin` begins with a fatbin's header, which
/// gives its length.
std::string standInFor(const void* fatbin);

}  // namespace vramscope::sim
