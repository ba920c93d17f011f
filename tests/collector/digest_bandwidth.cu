// SPDX-License-Identifier: Apache-2.0
// How fast the collector's digest kernel reads, against a copy within the device: bytes a second of each, and
// the share. The kernel comes from the image that the library carries:
//     digest_bandwidth collector_kernels.fatbin [MIB ...]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <fstream>
#include <iterator>
#include <vector>

#include "collector/device/digest_layout.h"

namespace {

using namespace vramscope::device;

void check(CUresult result, const char* what) {
    if (result == CUDA_SUCCESS) return;
    std::fprintf(stderr, "%s: %d\n", what, result);
    std::exit(1);
}
#define CHECK(call) check(call, #call)

template <typename Launch>
double secondsOf(const Launch& launch) {
    constexpr int kRounds = 30;
    CUevent first;
    CUevent last;
    CHECK(cuEventCreate(&first, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&last, CU_EVENT_DEFAULT));
    launch();
    CHECK(cuEventRecord(first, nullptr));
    for (int i = 0; i < kRounds; ++i)
        launch();
    CHECK(cuEventRecord(last, nullptr));
    CHECK(cuEventSynchronize(last));
    float milliseconds = 0;
    CHECK(cuEventElapsedTime(&milliseconds, first, last));
    return milliseconds / 1000 / kRounds;
}

}  // namespace

int main(int argc, char** argv) {
    std::ifstream file(argc > 1 ? argv[1] : "collector_kernels.fatbin", std::ios::binary);
    const std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction digest;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, image.data()));
    CHECK(cuModuleGetFunction(&digest, module, "vramscope_digest"));
    DigestTask* tasks = nullptr;
    CUdeviceptr states = 0;
    CHECK(cuMemHostAlloc(reinterpret_cast<void**>(&tasks), sizeof(DigestTask), CU_MEMHOSTALLOC_DEVICEMAP));
    CHECK(cuMemAlloc(&states, sizeof(DigestState)));
    CHECK(cuMemsetD8(states, 0, sizeof(DigestState)));
    std::vector<std::size_t> sizes;
    for (int i = 2; i < argc; ++i)
        sizes.push_back(std::strtoull(argv[i], nullptr, 10) << 20);
    if (sizes.empty()) sizes = {std::size_t{16} << 20, std::size_t{256} << 20, std::size_t{1} << 30};
    for (const std::size_t bytes : sizes) {
        CUdeviceptr memory = 0;
        CUdeviceptr other = 0;
        CHECK(cuMemAlloc(&memory, bytes));
        CHECK(cuMemAlloc(&other, bytes));
        CHECK(cuMemsetD8(memory, 1, bytes));
        *tasks = {memory, bytes, kNoDigest, DigestOutcome::Pending, 0};
        const double copied =
            2.0 * static_cast<double>(bytes) / secondsOf([&] { CHECK(cuMemcpyDtoD(other, memory, bytes)); });
        for (const unsigned blocks : {528u, 1056u, 2112u, 4224u}) {
            unsigned first = 0;
            unsigned mask = 0;
            void* arguments[] = {&tasks, &states, &first, &mask};
            const double read = static_cast<double>(bytes) / secondsOf([&] {
                                    CHECK(cuLaunchKernel(digest, blocks, 1, 1, kDigestThreads, 1, 1, 0,
                                                         nullptr, arguments, nullptr));
                                });
            std::printf("%5zu MiB  %4u blocks  digest %.0f GB/s  copy %.0f GB/s (read and write)  %.0f %%\n",
                        bytes >> 20, blocks, read / 1e9, copied / 1e9, 100 * read / copied);
        }
        CHECK(cuMemFree(memory));
        CHECK(cuMemFree(other));
    }
    return 0;
}
