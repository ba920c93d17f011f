// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

/// A runtime call that must succeed.
#define RT(call)                                                                                            \
    do {                                                                                                    \
        const cudaError_t error_ = (call);                                                                  \
        if (error_ != cudaSuccess) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
            std::exit(1);                                                                                   \
        }                                                                                                   \
    } while (false)

/// A call whose error nobody reads.
#define RT_UNREAD(call) static_cast<void>(call)

constexpr std::size_t kMiB = std::size_t(1) << 20;

inline void* allocate(std::size_t sizeBytes) {
    void* address = nullptr;
    RT(cudaMalloc(&address, sizeBytes));
    return address;
}
