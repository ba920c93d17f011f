// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The agreement between a module image (a shared object built from kernels written with kernel.h) and the
// simulated driver. Plain structs: the two are linked apart.
namespace vramscope::sim {

inline constexpr uint32_t kModuleImageVersion = 3;
/// The symbol that an image exports: a function without arguments that gives its ModuleImage.
inline constexpr char kModuleImageSymbol[] = "vramscopeSimModuleImage";

struct Index3 {
    unsigned int x = 0;
    unsigned int y = 0;
    unsigned int z = 0;
};

/// Where the running device thread stands; the driver sets it, the kernels read it as threadIdx and so on.
struct ThreadState {
    Index3 threadIndex;
    Index3 blockIndex;
    Index3 blockSize;
    Index3 gridSize;
    void* dynamicShared = nullptr;
    void (*barrier)() = nullptr;  ///< __syncthreads
    /// Told before each access, with the place in the kernel; flags are 1 read, 2 write. Null while nobody
    /// wants to know.
    void (*access)(uint64_t pc, uint64_t address, uint32_t sizeBytes, uint32_t flags) = nullptr;
};

struct ParameterLayout {
    size_t offset;
    size_t sizeBytes;
};

struct KernelImage {
    const char* name;
    size_t parameterCount;
    const ParameterLayout* parameters;
    void (*run)(void** parameters);  ///< one device thread; parameters[i] points at the i-th argument
    const KernelImage* next;
};

/// A __device__ variable.
struct VariableImage {
    const char* name;
    void* address;
    size_t sizeBytes;
    const VariableImage* next;
};

struct ModuleImage {
    uint32_t version;
    const KernelImage* kernels;
    const VariableImage* variables;
    ThreadState* thread;
};

using ModuleImageFunction = ModuleImage* (*)();

}  // namespace vramscope::sim
