// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 that ends every process which loads it.

#include <cstdlib>

__attribute__((constructor)) static void crash() {
    std::abort();
}

extern "C" int cuInit(unsigned) {
    return 999;
}
