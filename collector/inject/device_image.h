// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vramscope::collector {

/// The collector's own kernels (collector/device) as the driver loads them: machine code for the GPUs we test
/// on and PTX for later ones. Null where the library was built without nvcc.
const void* deviceImage();

}  // namespace vramscope::collector
