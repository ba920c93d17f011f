// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cuda.h>

/// Stands in for a caching allocator above CUDA, as frameworks have one: one segment of device memory, cut
/// into pieces for whoever asks. For one thread.
__attribute__((visibility("default"))) CUdeviceptr simpoolAllocate(std::size_t bytes);
/// All pieces are free again; the segment stays.
__attribute__((visibility("default"))) void simpoolReset();
/// The segment goes back to the driver.
__attribute__((visibility("default"))) void simpoolRelease();
