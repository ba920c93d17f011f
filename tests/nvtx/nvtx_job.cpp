// SPDX-License-Identifier: Apache-2.0
// A job that marks its phases with NVTX and allocates under them. It ends with 0 only if everything it calls
// works.

#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

nvtxEventAttributes_t registered(nvtxStringHandle_t text) {
    nvtxEventAttributes_t event{};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = text;
    return event;
}

void trainOneEpoch(nvtxDomainHandle_t domain, nvtxStringHandle_t stepName) {
    nvtxRangePushA("epoch");
    const nvtxEventAttributes_t step = registered(stepName);
    for (int i = 0; i < 3; ++i) {
        nvtxDomainRangePushEx(domain, &step);
        CU(cuMemFree(allocate(kMiB)));
        nvtxDomainRangePop(domain);
    }
    nvtxMarkW(L"halb fertig: \u00bd");
    nvtxRangePop();
}

void nameThings() {
    CUstream stream = nullptr;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    nvtxNameCuStreamW(stream, L"copies");
    std::thread([] {
        nvtxNameOsThreadA(static_cast<uint32_t>(::gettid()), "data loader number one");
    }).join();
}

// Ranges of one domain say whose memory it is.
void workForTasks() {
    nvtxDomainHandle_t tasks = nvtxDomainCreateA("vramscope.task");
    const nvtxEventAttributes_t loader = registered(nvtxDomainRegisterStringA(tasks, "loader"));
    const nvtxRangeId_t range = nvtxDomainRangeStartEx(tasks, &loader);
    nvtxDomainRangePushEx(tasks, &loader);
    CU(cuMemFree(allocate(2 * kMiB)));
    nvtxDomainRangePop(tasks);
    CU(cuMemFree(allocate(3 * kMiB)));  // a thread without one takes the only active one
    nvtxDomainRangeEnd(tasks, range);
    CU(cuMemFree(allocate(4 * kMiB)));
}

// What the child opens is its own affair, and must neither reach the parent's capture nor hurt the child.
void fork(nvtxDomainHandle_t domain, nvtxStringHandle_t name) {
    const pid_t child = ::fork();
    if (child == 0) {
        const nvtxEventAttributes_t event = registered(name);
        for (int i = 0; i < 1000; ++i) {
            nvtxRangePushA("in the child");
            nvtxDomainMarkEx(domain, &event);
            nvtxDomainRegisterStringA(domain, "registered in the child");
            nvtxRangePop();
        }
        ::_exit(7);
    }
    int status = 0;
    if (::waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) std::exit(1);
}

}  // namespace

int main() {
    // NVTX loads its tool here, long before CUDA loads one.
    nvtxDomainHandle_t domain = nvtxDomainCreateA("training");
    nvtxStringHandle_t step = nvtxDomainRegisterStringA(domain, "step");
    nvtxRangePushA("before CUDA");
    const Context context;
    nvtxRangePop();

    const nvtxRangeId_t whole = nvtxRangeStartA("whole run");
    nameThings();
    trainOneEpoch(domain, step);
    workForTasks();
    fork(domain, step);
    nvtxRangePushA("never closed");
    std::thread([whole] { nvtxRangeEnd(whole); }).join();
    return 0;
}
