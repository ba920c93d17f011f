// SPDX-License-Identifier: Apache-2.0
#pragma once

// One kernel source for two compilers: nvcc makes a fatbin of it for GPUs, g++ a module image for the
// simulation. A kernel is written
//     VRAMSCOPE_KERNEL(fill, float* data, float value, int count) {
//         const int i = blockIdx.x * blockDim.x + threadIdx.x;
//         if (i < count) data[i] = value;
//     }
// and found by its plain name. __syncthreads, __shared__ arrays and the atomics below work in both; warp
// operations beyond sumOfWarp() and textures are not simulated, where a warp is one thread. A __device__
// variable that the host looks up is declared with VRAMSCOPE_DEVICE_VARIABLE, dynamic shared memory with
// VRAMSCOPE_DYNAMIC_SHARED.

#if defined(__CUDACC__)

#define VRAMSCOPE_KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)
#define VRAMSCOPE_DEVICE_VARIABLE(type, name) extern "C" __device__ type name
#define VRAMSCOPE_DYNAMIC_SHARED(type, name) extern __shared__ type name[]

constexpr unsigned int kWarpThreads = 32;

/// The sum over the warp, in its first thread. All its threads must call.
__device__ __forceinline__ unsigned long long sumOfWarp(unsigned long long value) {
    for (unsigned int distance = kWarpThreads / 2; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xFFFF'FFFFu, value, distance);
    return value;
}
__device__ __forceinline__ bool isFirstOfWarp() {
    return threadIdx.x % kWarpThreads == 0;
}
__device__ __forceinline__ unsigned long long deviceClockNs() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
}

#else

#include <ctime>

#include "samples/sim/kernel_registration.h"

#define __device__
#define __forceinline__ inline
#define __shared__ static
#define threadIdx (::vramscope::sim::g_thread.threadIndex)
#define blockIdx (::vramscope::sim::g_thread.blockIndex)
#define blockDim (::vramscope::sim::g_thread.blockSize)
#define gridDim (::vramscope::sim::g_thread.gridSize)

#define VRAMSCOPE_KERNEL(name, ...)                                                      \
    extern "C" __attribute__((noinline, visibility("default"))) void name(__VA_ARGS__);  \
    static const ::vramscope::sim::KernelRegistration<&name> name##_registration(#name); \
    extern "C" void name(__VA_ARGS__)
#define VRAMSCOPE_DEVICE_VARIABLE(type, name) \
    static type name;                         \
    static const ::vramscope::sim::VariableRegistration name##_registration(#name, &name, sizeof name)
#define VRAMSCOPE_DYNAMIC_SHARED(type, name) \
    type* const name = static_cast<type*>(::vramscope::sim::g_thread.dynamicShared)

inline void __syncthreads() {
    ::vramscope::sim::g_thread.barrier();
}
inline void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

constexpr unsigned int kWarpThreads = 1;
inline unsigned long long sumOfWarp(unsigned long long value) {
    return value;
}
inline bool isFirstOfWarp() {
    return true;
}
inline unsigned long long deviceClockNs() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<unsigned long long>(now.tv_sec) * 1'000'000'000ull +
           static_cast<unsigned long long>(now.tv_nsec);
}

template <typename T>
T atomicAdd(T* address, T value) {
    // Device threads never run at the same time here, but the memory may be shared with another process.
    T seen = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(address, &seen, T(seen + value), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
    return seen;
}
inline float atomicAdd(float* address, float value) {
    return std::exchange(*address, *address + value);
}
inline double atomicAdd(double* address, double value) {
    return std::exchange(*address, *address + value);
}
template <typename T>
T atomicExch(T* address, T value) {
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);
}
template <typename T>
T atomicCAS(T* address, T expected, T value) {
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}
template <typename T>
T atomicXor(T* address, T value) {
    return __atomic_fetch_xor(address, value, __ATOMIC_SEQ_CST);
}
template <typename T>
T atomicOr(T* address, T value) {
    return __atomic_fetch_or(address, value, __ATOMIC_SEQ_CST);
}
template <typename T>
T atomicMin(T* address, T value) {
    return std::exchange(*address, value < *address ? value : *address);
}
template <typename T>
T atomicMax(T* address, T value) {
    return std::exchange(*address, *address < value ? value : *address);
}

#endif
