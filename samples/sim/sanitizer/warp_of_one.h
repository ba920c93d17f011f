// SPDX-License-Identifier: Apache-2.0
#pragma once

// Comes before the source of patches when the simulation compiles it: a warp has one thread here, so what its
// threads agree on is what the one says.

#include <cstdint>

inline namespace warp {

struct uint2 {  // NOLINT(readability-identifier-naming): CUDA's name
    unsigned int x;
    unsigned int y;
};

inline unsigned int __activemask() {  // NOLINT(bugprone-reserved-identifier): CUDA's names, here and below
    return 1;
}
inline unsigned int __ballot_sync(unsigned int /*mask*/, bool value) {
    return value ? 1 : 0;
}
template <typename T>
T __shfl_sync(unsigned int /*mask*/, T value, unsigned int /*lane*/) {
    return value;
}
inline int __ffs(unsigned int value) {
    return __builtin_ffs(static_cast<int>(value));
}
inline int __clz(unsigned int value) {
    return __builtin_clz(value);
}
template <typename T>
void atomicMax(T* address, T value) {
    if (*address < value) *address = value;
}

}  // namespace warp

#define __device__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline, visibility("default")))
