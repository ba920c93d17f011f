// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vramscope::sim {

/// Maps the libcupti that lies beside this library, then loads the library that CUDA_INJECTION64_PATH names
/// and calls its InitializeInjection, as the real driver does at cuInit. Once for each process; without the
/// driver's lock.
void loadInjection();

}  // namespace vramscope::sim
