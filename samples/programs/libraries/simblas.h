// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

/// out = a * b for square matrices of floats on the device, in the current context. 0 is success. Keeps a
/// workspace of 8.5 MB from its first call until the process ends.
extern "C" __attribute__((visibility("default"))) int simblasProduct(CUdeviceptr a, CUdeviceptr b,
                                                                     CUdeviceptr out, int width);
