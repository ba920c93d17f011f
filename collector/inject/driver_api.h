// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

namespace vramscope::collector {

/// The few driver queries we make from callbacks, resolved from the libcuda that the job has mapped. All of
/// them only read: they neither allocate nor wait. A pointer is null where the driver is too old for the
/// call.
struct DriverApi {
    CUresult (*driverGetVersion)(int*) = nullptr;
    CUresult (*deviceGetName)(char*, int, CUdevice) = nullptr;
    CUresult (*deviceGetUuid)(CUuuid*, CUdevice) = nullptr;
    CUresult (*deviceTotalMem)(std::size_t*, CUdevice) = nullptr;
    CUresult (*ctxGetDevice)(CUdevice*) = nullptr;
    CUresult (*deviceGetMemPool)(CUmemoryPool*, CUdevice) = nullptr;
    CUresult (*memPoolGetAttribute)(CUmemoryPool, CUmemPool_attribute, void*) = nullptr;
    CUresult (*memGetAddressRange)(CUdeviceptr*, std::size_t*, CUdeviceptr) = nullptr;
    CUresult (*streamIsCapturing)(CUstream, CUstreamCaptureStatus*) = nullptr;
    CUresult (*funcGetParamInfo)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
    CUresult (*funcGetName)(const char**, CUfunction) = nullptr;
    CUresult (*kernelGetName)(const char**, CUkernel) = nullptr;
    CUresult (*deviceGetGraphMemAttribute)(CUdevice, CUgraphMem_attribute, void*) = nullptr;
    CUresult (*kernelGetParamInfo)(CUkernel, std::size_t, std::size_t*, std::size_t*) = nullptr;
};

/// The driver calls with which we act inside the job (own_kernels.h). Unlike those above they allocate,
/// launch and wait, so they are made only while no stream is being captured.
struct DriverActions {
    CUresult (*moduleLoadData)(CUmodule*, const void*) = nullptr;
    CUresult (*moduleGetFunction)(CUfunction*, CUmodule, const char*) = nullptr;
    CUresult (*streamCreate)(CUstream*, unsigned) = nullptr;
    CUresult (*streamSynchronize)(CUstream) = nullptr;
    CUresult (*contextSynchronize)() = nullptr;
    CUresult (*memAlloc)(CUdeviceptr*, std::size_t) = nullptr;
    CUresult (*memFree)(CUdeviceptr) = nullptr;
    CUresult (*memsetD8Async)(CUdeviceptr, unsigned char, std::size_t, CUstream) = nullptr;
    CUresult (*memHostAlloc)(void**, std::size_t, unsigned) = nullptr;
    CUresult (*memGetInfo)(std::size_t*, std::size_t*) = nullptr;
    CUresult (*launchKernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             CUstream, void**, void**) = nullptr;
    bool areAllThere = false;
};

extern DriverApi g_driver;
extern DriverActions g_driverActions;

/// Resolves g_driver and g_driverActions. Called once before recording starts; makes no CUDA call itself.
void loadDriverApi();

/// False once the process is on its way out: from then on no CUDA call is legal.
bool mayCallDriver();

}  // namespace vramscope::collector
