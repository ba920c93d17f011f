// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <initializer_list>

// What every sample needs: calls that must succeed, a context, and facts that the tests compare with the
// capture.

namespace vramscope::samples {

inline constexpr std::size_t kMiB = std::size_t(1) << 20;
inline constexpr std::size_t kGiB = std::size_t(1) << 30;

/// Ends the program with 1 unless `result` is success: a sample that cannot do its work proves nothing.
inline void require(CUresult result, const char* call, const char* file, int line) {
    if (result == CUDA_SUCCESS) return;
    const char* name = nullptr;
    cuGetErrorName(result, &name);
    std::fprintf(stderr, "%s:%d: %s gave %s\n", file, line, call, name ? name : "an unknown error");
    std::exit(1);
}

/// A call that must succeed.
#define CU(call) ::vramscope::samples::require((call), #call, __FILE__, __LINE__)

/// A call whose error nobody reads, as in the programs that the samples are made after.
#define CU_UNREAD(call) static_cast<void>(call)

/// Prints a number that only the run knows; the tests compare it with the capture as if it stood in
/// NAME.expected.
inline void tellFact(const char* key, std::uint64_t value) {
    std::printf("fact %s: %llu\n", key, static_cast<unsigned long long>(value));
    std::fflush(stdout);
}

/// Makes the primary context of device 0 current on this thread. It is left to the end of the process, as
/// programs on the CUDA runtime do.
class Context {
public:
    Context() {
        CU(cuInit(0));
        CU(cuDeviceGet(&m_device, 0));
        retain();
    }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    CUdevice device() const { return m_device; }
    CUcontext handle() const { return m_context; }

    /// Current on another thread.
    void use() const { CU(cuCtxSetCurrent(m_context)); }
    /// Gives everything in it back, and goes on with a new one, as after cudaDeviceReset().
    void reset() {
        CU(cuDevicePrimaryCtxReset(m_device));
        retain();
    }
    /// Destroys it, and with it whatever is still in it.
    void release() const { CU(cuDevicePrimaryCtxRelease(m_device)); }

private:
    void retain() {
        CU(cuDevicePrimaryCtxRetain(&m_context, m_device));
        CU(cuCtxSetCurrent(m_context));
    }

    CUdevice m_device = 0;
    CUcontext m_context = nullptr;
};

inline CUdeviceptr allocate(std::size_t sizeBytes) {
    CUdeviceptr address = 0;
    CU(cuMemAlloc(&address, sizeBytes));
    return address;
}

inline std::size_t freeBytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    CU(cuMemGetInfo(&free, &total));
    return free;
}

}  // namespace vramscope::samples
