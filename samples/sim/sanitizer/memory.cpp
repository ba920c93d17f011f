// SPDX-License-Identifier: Apache-2.0
// The memory API. What a tool allocates is memory of the host here, where its patches run, too; it is of no
// device and shows in no total.
#include <cstdlib>
#include <cstring>

#include "samples/sim/cuda_abi.h"
#include "samples/sim/cupti/driver_link.h"

namespace {
constexpr int kSuccess = 0;
constexpr int kInvalidParameter = 1;
constexpr int kOutOfMemory = 7;
constexpr int kUnknown = 999;
}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int sanitizerAlloc(CUcontext /*context*/, void** memory, size_t sizeBytes) {
    if (!memory) return kInvalidParameter;
    *memory = std::aligned_alloc(512, (sizeBytes + 511) / 512 * 512);
    return *memory ? kSuccess : kOutOfMemory;
}

int sanitizerFree(CUcontext /*context*/, void* memory) {
    std::free(memory);
    return kSuccess;
}

// At once, and not in the order of the stream: a tool that reuses memory before it has waited is caught.
int sanitizerMemcpyHostToDeviceAsync(void* destination, void* source, size_t sizeBytes, void* /*stream*/) {
    std::memcpy(destination, source, sizeBytes);
    return kSuccess;
}

int sanitizerMemcpyDeviceToHost(void* destination, void* source, size_t sizeBytes, void* /*stream*/) {
    std::memcpy(destination, source, sizeBytes);
    return kSuccess;
}

int sanitizerMemset(void* memory, int value, size_t sizeBytes, void* /*stream*/) {
    std::memset(memory, value, sizeBytes);
    return kSuccess;
}

int sanitizerStreamSynchronize(void* stream) {
    const vramscope::sim::DriverTable* driver = vramscope::sim::driverTable();
    return driver && driver->synchronize(stream) == CUDA_SUCCESS ? kSuccess : kUnknown;
}

}  // extern "C"
#pragma GCC visibility pop
