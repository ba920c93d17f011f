// SPDX-License-Identifier: Apache-2.0
// Two processes share a buffer that the exporter frees and makes anew in a loop; the importer closes each
// before it says that it is done with it. Right answer: nothing.
#include "samples/programs/two_processes.h"

using namespace vramscope::samples;

namespace {

constexpr int kRounds = 6;
constexpr std::size_t kSizeBytes = 8 * kMiB;

CUdeviceptr openShared(const CUipcMemHandle& handle) {
    CUdeviceptr address = 0;
    CU(cuIpcOpenMemHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    return address;
}

int importAll(const TwoProcesses& processes) {
    const Context context;
    const CUdeviceptr own = allocate(kSizeBytes);
    for (int round = 0; round < kRounds; ++round) {
        const CUdeviceptr shared = openShared(processes.receive<CUipcMemHandle>());
        CU(cuMemcpyDtoD(own, shared, kSizeBytes));
        CU(cuCtxSynchronize());
        CU(cuIpcCloseMemHandle(shared));
        processes.send(round);
    }
    processes.receive<int>();
    CU(cuMemFree(own));
    return 0;
}

void exportAll(const TwoProcesses& processes) {
    const Context context;
    for (int round = 0; round < kRounds; ++round) {
        const CUdeviceptr shared = allocate(kSizeBytes);
        CU(cuMemsetD8(shared, static_cast<unsigned char>(round), kSizeBytes));
        CU(cuCtxSynchronize());
        CUipcMemHandle handle{};
        CU(cuIpcGetMemHandle(&handle, shared));
        processes.send(handle);
        processes.receive<int>();
        CU(cuMemFree(shared));
    }
    processes.send(kRounds);
}

}  // namespace

int main() {
    const TwoProcesses processes;
    if (processes.isChild()) return importAll(processes);
    exportAll(processes);
    return processes.waitForChild();
}
