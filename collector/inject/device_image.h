// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vramscope::collector {

/// The collector's own kernels (collector/device) as the driver loads them: machine code for the GPUs we test
/// on and PTX for later ones. Null where the library was built without nvcc.
const void* deviceImage();

/// The exact engine's patches as the Compute Sanitizer API loads them. Null likewise.
const void* exactPatchImage();

}  // namespace vramscope::collector
