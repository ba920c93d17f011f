// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/kernel.h"

// Kernels that do nothing, by how many pointers they are given.

VRAMSCOPE_KERNEL(takesNone, int count) {
    static_cast<void>(count);
}

VRAMSCOPE_KERNEL(takesFour, float* a, float* b, float* c, float* d) {
    static_cast<void>(a), static_cast<void>(b), static_cast<void>(c), static_cast<void>(d);
}

struct FourPointers {
    float* pointers[4];
};
VRAMSCOPE_KERNEL(takesSixteen, FourPointers a, FourPointers b, FourPointers c, FourPointers d) {
    static_cast<void>(a), static_cast<void>(b), static_cast<void>(c), static_cast<void>(d);
}
