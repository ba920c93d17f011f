// SPDX-License-Identifier: Apache-2.0
// Calls that fail, of each family. Each says what it got, so that the test can compare it with the capture.
#include <array>
#include <cstdio>
#include <string_view>

#include "samples/programs/kernel_image.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

constexpr CUdeviceptr kNowhere = 0x1000;

template <typename Handle>
Handle bogus() {
    return reinterpret_cast<Handle>(0xBAD0BAD0ull);
}

/// "failed cuMemAlloc 2": the call as the capture names it.
void tell(std::string_view call, CUresult result) {
    const std::string_view name = call.substr(0, call.find('('));
    std::printf("%s %.*s %d\n", result == CUDA_SUCCESS ? "succeeded" : "failed",
                static_cast<int>(name.size()), name.data(), static_cast<int>(result));
}

// The macros of cuda.h give calls the name of their present version; the capture has the names of programs.
#define MUST_FAIL(call) tell(#call, (call))

void failAtMemory() {
    CUdeviceptr address = 0;
    void* host = nullptr;
    MUST_FAIL(cuMemAlloc(&address, 900 * kGiB));
    MUST_FAIL(cuMemFree(kNowhere));
    MUST_FAIL(cuMemHostAlloc(&host, 0, 0));
    MUST_FAIL(cuMemFreeHost(bogus<void*>()));
    MUST_FAIL(cuMemHostUnregister(bogus<void*>()));
    MUST_FAIL(cuArrayDestroy(bogus<CUarray>()));
    MUST_FAIL(cuIpcOpenMemHandle(&address, CUipcMemHandle{}, 0));
    MUST_FAIL(cuIpcCloseMemHandle(kNowhere));
}

void failAtMappings() {
    CUdeviceptr address = 0;
    CUmemGenericAllocationHandle handle = 0;
    CUmemAccessDesc access{};
    MUST_FAIL(cuMemAddressReserve(&address, 1, 0, 0, 0));
    MUST_FAIL(cuMemCreate(&handle, 1, nullptr, 0));
    MUST_FAIL(cuMemMap(kNowhere, 2 * kMiB, 0, 77, 0));
    MUST_FAIL(cuMemSetAccess(kNowhere, 2 * kMiB, &access, 1));
    MUST_FAIL(cuMemRetainAllocationHandle(&handle, bogus<void*>()));
    MUST_FAIL(cuMemUnmap(kNowhere, 2 * kMiB));
    MUST_FAIL(cuMemRelease(77));
    MUST_FAIL(cuMemAddressFree(kNowhere, 2 * kMiB));
}

void failAtPools(CUdevice device) {
    CUmemoryPool pool = nullptr;
    CUdeviceptr address = 0;
    cuuint64_t value = 0;
    CU(cuDeviceGetDefaultMemPool(&pool, device));
    MUST_FAIL(cuMemPoolCreate(&pool, nullptr));
    MUST_FAIL(cuMemPoolSetAttribute(bogus<CUmemoryPool>(), CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    MUST_FAIL(cuMemPoolTrimTo(bogus<CUmemoryPool>(), 0));
    MUST_FAIL(cuMemPoolDestroy(pool));
    MUST_FAIL(cuDeviceSetMemPool(device, bogus<CUmemoryPool>()));
    MUST_FAIL(cuMemAllocAsync(&address, 0, nullptr));
    MUST_FAIL(cuMemFreeAsync(kNowhere, nullptr));
}

void failAtWork(const Kernels& kernels) {
    std::array<char, 16> bytes{};
    std::array<CUdeviceptr, 2> nowhere{kNowhere, kNowhere};
    std::array<std::size_t, 2> sizes{16, 16};
    std::size_t attributeIndex = 0;
    CUmemcpyAttributes attributes{};
    MUST_FAIL(cuLaunchKernel(kernels.find("fill"), 1, 1, 1, 5000, 1, 1, 0, nullptr, nullptr, nullptr));
    MUST_FAIL(cuGraphLaunch(bogus<CUgraphExec>(), nullptr));
    MUST_FAIL(cuMemcpyHtoD(kNowhere, bytes.data(), bytes.size()));
    MUST_FAIL(cuMemcpyDtoHAsync(bytes.data(), kNowhere, bytes.size(), nullptr));
    MUST_FAIL(cuMemcpyBatchAsync(nowhere.data(), nowhere.data(), sizes.data(), 2, &attributes,
                                 &attributeIndex, 1, nullptr));
    MUST_FAIL(cuMemsetD8(kNowhere, 0, 16));
    MUST_FAIL(cuMemsetD32Async(kNowhere, 0, 16, nullptr));
    MUST_FAIL(cuStreamWriteValue32(nullptr, kNowhere, 0, 0));
}

void failAtStreams() {
    CUstream stream = nullptr;
    MUST_FAIL(cuStreamCreate(&stream, 77));
    MUST_FAIL(cuStreamSynchronize(bogus<CUstream>()));
    MUST_FAIL(cuStreamQuery(bogus<CUstream>()));
    MUST_FAIL(cuStreamWaitEvent(nullptr, bogus<CUevent>(), 0));
    MUST_FAIL(cuStreamBeginCapture(bogus<CUstream>(), CU_STREAM_CAPTURE_MODE_GLOBAL));
    MUST_FAIL(cuStreamDestroy(bogus<CUstream>()));
}

void failAtObjects() {
    CUevent event = nullptr;
    CUtexObject texture = 0;
    CUgraphExec executable = nullptr;
    float ms = 0;
    MUST_FAIL(cuEventCreate(&event, 7777));
    MUST_FAIL(cuEventRecord(bogus<CUevent>(), nullptr));
    MUST_FAIL(cuEventSynchronize(bogus<CUevent>()));
    MUST_FAIL(cuEventQuery(bogus<CUevent>()));
    MUST_FAIL(cuEventElapsedTime(&ms, bogus<CUevent>(), bogus<CUevent>()));
    MUST_FAIL(cuEventDestroy(bogus<CUevent>()));
    MUST_FAIL(cuTexObjectCreate(&texture, nullptr, nullptr, nullptr));
    MUST_FAIL(cuGraphInstantiateWithFlags(&executable, bogus<CUgraph>(), 0));
    MUST_FAIL(cuGraphDestroy(bogus<CUgraph>()));
}

void failAtContexts() {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    MUST_FAIL(cuDevicePrimaryCtxRetain(&context, 99));
    MUST_FAIL(cuDevicePrimaryCtxRelease(99));
    MUST_FAIL(cuCtxDestroy(bogus<CUcontext>()));
    MUST_FAIL(cuModuleLoad(&module, "/nonexistent/kernels.cubin"));
    MUST_FAIL(cuModuleGetFunction(&function, bogus<CUmodule>(), "fill"));
}

}  // namespace

// One failing call of each kind, and one that fails three times.
int failCalls(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Kernels kernels;
    failAtMemory();
    failAtMappings();
    failAtPools(context.device());
    failAtWork(kernels);
    failAtStreams();
    failAtObjects();
    failAtContexts();
    for (int i = 0; i < 3; ++i)
        MUST_FAIL(cuModuleUnload(bogus<CUmodule>()));
    return 0;
}

// Failures while a stream captures, where calls define graph nodes.
int failInCapture(const std::vector<std::string>& /*words*/) {
    const Context context;
    const CUdeviceptr plain = allocate(kMiB);
    CUstream stream = nullptr;
    CUgraph graph = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    MUST_FAIL(cuMemFreeAsync(plain, stream));
    MUST_FAIL(cuMemsetD8Async(kNowhere, 0, 16, stream));
    MUST_FAIL(cuMemcpyDtoDAsync(kNowhere, plain, 16, stream));
    CU(cuMemsetD8Async(plain, 0, 16, stream));
    CU(cuStreamEndCapture(stream, &graph));
    CU(cuGraphDestroy(graph));
    CU(cuStreamDestroy(stream));
    CU(cuMemFree(plain));
    return 0;
}

// A kernel writes where nothing is. The first call that waits is told; then all others are.
int faultInKernel(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Kernels* const kernels = new Kernels;  // its module cannot be unloaded from a broken context
    CUdeviceptr address = 0;
    kernels->run("fill", nullptr, 16, kNowhere, 1.0F, 16);
    MUST_FAIL(cuCtxSynchronize());
    MUST_FAIL(cuMemAlloc(&address, kMiB));
    MUST_FAIL(cuMemAlloc(&address, kMiB));
    return 6;
}

// Questions about work that is not done, which is an answer and no failure.
int askTooEarly(const std::vector<std::string>& /*words*/) {
    const Context context;
    const CUdeviceptr flag = allocate(4);
    CUstream waiting = nullptr;
    CUstream other = nullptr;
    CUevent before = nullptr;
    CUevent after = nullptr;
    float ms = 0;
    CU(cuMemsetD32(flag, 0, 1));
    CU(cuStreamCreate(&waiting, CU_STREAM_NON_BLOCKING));
    CU(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&before, 0));
    CU(cuEventCreate(&after, 0));
    CU(cuEventRecord(before, waiting));
    CU(cuStreamWaitValue32(waiting, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    CU(cuEventRecord(after, waiting));
    const bool isEarly = cuStreamQuery(waiting) == CUDA_ERROR_NOT_READY &&
                         cuEventQuery(after) == CUDA_ERROR_NOT_READY &&
                         cuEventElapsedTime(&ms, before, after) == CUDA_ERROR_NOT_READY;
    CU(cuStreamWriteValue32(other, flag, 1, 0));
    CU(cuCtxSynchronize());
    return isEarly ? 0 : 8;
}

}  // namespace vramscope::jobs
