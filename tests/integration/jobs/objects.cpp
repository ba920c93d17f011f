// SPDX-License-Identifier: Apache-2.0
// Things that are not memory and must be destroyed: lost, or given back as they should be.
#include <sys/wait.h>
#include <unistd.h>

#include "samples/programs/kernel_image.h"
#include "samples/programs/sample.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

constexpr int kRounds = 4;

[[gnu::noinline]] CUgraph capture(CUstream stream, CUdeviceptr address) {
    CUgraph graph = nullptr;
    CU(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CU(cuMemsetD8Async(address, 1, kMiB, stream));
    CU(cuStreamEndCapture(stream, &graph));
    return graph;
}

/// One of each kind.
struct Objects {
    CUstream stream = nullptr;
    CUgraph captured = nullptr;
    CUgraph clone = nullptr;
    CUcontext reference = nullptr;
};

Objects makeObjects(const Context& context, CUdeviceptr address) {
    Objects made;
    CU(cuStreamCreate(&made.stream, CU_STREAM_NON_BLOCKING));
    made.captured = capture(made.stream, address);
    CU(cuGraphClone(&made.clone, made.captured));
    CU(cuDevicePrimaryCtxRetain(&made.reference, context.device()));
    return made;
}

void destroyObjects(const Context& context, const Objects& made) {
    CU(cuGraphDestroy(made.clone));
    CU(cuGraphDestroy(made.captured));
    CU(cuStreamDestroy(made.stream));
    CU(cuDevicePrimaryCtxRelease(context.device()));
}

/// What one process gives another.
struct Handles {
    CUipcMemHandle memory;
    CUipcEventHandle event;
};

constexpr std::size_t kSharedBytes = 64 * kMiB;

int useImports(int pipeFromExporter) {
    Handles handles{};
    if (::read(pipeFromExporter, &handles, sizeof handles) != sizeof handles) return 110;
    const Context context;
    CUdeviceptr address = 0;
    CU(cuIpcOpenMemHandle(&address, handles.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    for (int i = 0; i < kRounds; ++i) {
        CUevent event = nullptr;
        CU(cuIpcOpenEventHandle(&event, handles.event));
        if (i == 0) CU(cuEventDestroy(event));
    }
    const CUdeviceptr own = allocate(kMiB);
    CU(cuMemcpyDtoD(own, address + 8 * kMiB, kMiB));
    CU(cuMemsetD8(address + 4 * kMiB, 1, kMiB));
    {
        const Kernels kernels;
        kernels.run("fill", nullptr, 64, address + 40 * kMiB, 1.0F, 64);
        CU(cuCtxSynchronize());
    }
    CU(cuMemFree(own));
    CU(cuIpcCloseMemHandle(address));
    return 0;
}

}  // namespace

int loseObjects(const std::vector<std::string>& /*words*/) {
    const Context context;
    const CUdeviceptr address = allocate(kMiB);
    for (int i = 0; i < kRounds; ++i)
        makeObjects(context, address);
    CU(cuMemFree(address));
    return 0;
}

// As above with nothing lost, and a capture into a graph that was there before.
int balanceObjects(const std::vector<std::string>& /*words*/) {
    const Context context;
    const CUdeviceptr address = allocate(kMiB);
    for (int i = 0; i < kRounds; ++i)
        destroyObjects(context, makeObjects(context, address));
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < kRounds; ++i) {
        CUgraph graph = nullptr;
        CUgraph same = nullptr;
        CU(cuGraphCreate(&graph, 0));
        CU(cuStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
        CU(cuMemsetD8Async(address, 1, kMiB, stream));
        CU(cuStreamEndCapture(stream, &same));
        if (same != graph) return 111;
        CU(cuGraphDestroy(graph));
    }
    CU(cuStreamDestroy(stream));
    CU(cuMemFree(address));
    return 0;
}

// A graph and a stream are destroyed twice.
int destroyTwice(const std::vector<std::string>& /*words*/) {
    const Context context;
    const Objects made = makeObjects(context, allocate(kMiB));
    destroyObjects(context, made);
    CU_UNREAD(cuGraphDestroy(made.captured));
    CU_UNREAD(cuStreamDestroy(made.stream));
    return 0;
}

// The last release destroys the context; a reset takes the references' memory away, but not the references.
int useContextCalls(const std::vector<std::string>& /*words*/) {
    CU(cuInit(0));
    CUcontext first = nullptr;
    CUcontext second = nullptr;
    CU(cuDevicePrimaryCtxRetain(&first, 0));
    CU(cuDevicePrimaryCtxRetain(&second, 0));
    CU(cuDevicePrimaryCtxReset(0));
    CU(cuDevicePrimaryCtxRelease(0));
    CU(cuDevicePrimaryCtxRelease(0));
    CU_UNREAD(cuDevicePrimaryCtxRelease(0));
    CU(cuDevicePrimaryCtxRetain(&first, 0));
    CU(cuDevicePrimaryCtxRelease(0));
    return 0;
}

// Trims a pool, and maps memory that the host may read and the device may write.
int trimAndProtect(const std::vector<std::string>& /*words*/) {
    const Context context;
    CUmemoryPool pool = nullptr;
    cuuint64_t keepAll = ~cuuint64_t{0};
    CUdeviceptr address = 0;
    CU(cuDeviceGetDefaultMemPool(&pool, context.device()));
    CU(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keepAll));
    CU(cuMemAllocAsync(&address, 64 * kMiB, nullptr));
    CU(cuMemFreeAsync(address, nullptr));
    CU(cuCtxSynchronize());
    CU(cuMemPoolTrimTo(pool, 32 * kMiB));
    CU(cuMemPoolTrimTo(pool, 0));

    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {context.device()}};
    CUmemGenericAllocationHandle handle = 0;
    CU(cuMemCreate(&handle, 2 * kMiB, &properties, 0));
    CU(cuMemAddressReserve(&address, 2 * kMiB, 0, 0, 0));
    CU(cuMemMap(address, 2 * kMiB, 0, handle, 0));
    const CUmemAccessDesc places[] = {{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
                                      {{CU_MEM_LOCATION_TYPE_DEVICE, {1}}, CU_MEM_ACCESS_FLAGS_PROT_READ}};
    CU(cuMemSetAccess(address, 2 * kMiB, places, 2));
    CU(cuMemUnmap(address, 2 * kMiB));
    CU(cuMemAddressFree(address, 2 * kMiB));
    CU(cuMemRelease(handle));
    return 0;
}

int shareWithImporter(const std::vector<std::string>& /*words*/) {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) return 112;
    const pid_t importer = ::fork();
    if (importer == 0) std::exit(useImports(ends[0]));
    const Context context;
    Handles handles{};
    const CUdeviceptr address = allocate(kSharedBytes);
    CUevent event = nullptr;
    CU(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    CU(cuIpcGetMemHandle(&handles.memory, address));
    CU(cuIpcGetEventHandle(&handles.event, event));
    if (::write(ends[1], &handles, sizeof handles) != sizeof handles) return 113;
    int status = 0;
    ::waitpid(importer, &status, 0);
    CU(cuEventDestroy(event));
    CU(cuMemFree(address));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 114;
}

}  // namespace vramscope::jobs
