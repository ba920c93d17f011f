// SPDX-License-Identifier: Apache-2.0
// One process fills a buffer again and again and another reads it through an import; each waits for the
// other's event, on the device, and no host waits for anything. Right answer: nothing.
#include "samples/programs/ipc_order.h"

using namespace vramscope::samples;

namespace {

constexpr int kRounds = 4;

int read(const TwoProcesses& processes) {
    const Context context;
    const CUdeviceptr shared = openShared(processes.receive<CUipcMemHandle>());
    const CUdeviceptr own = allocate(kSharedBytes);
    unsigned char last = 0;
    {
        const OpenedEvent filled(processes.receive<CUipcEventHandle>());
        const GivenEvent taken;
        processes.send(taken.handle());
        const Stream stream;
        for (int round = 0; round < kRounds; ++round) {
            processes.receive<int>();
            CU(cuStreamWaitEvent(stream, filled, 0));
            CU(cuMemcpyDtoDAsync(own, shared, kSharedBytes, stream));
            CU(cuEventRecord(taken, stream));
            processes.send(round);
        }
        stream.wait();
        CU(cuMemcpyDtoH(&last, own, 1));
        CU(cuIpcCloseMemHandle(shared));
        processes.send(kRounds);
        processes.receive<int>();
    }
    CU(cuMemFree(own));
    return last == kRounds ? 0 : 1;
}

int fill(const TwoProcesses& processes) {
    const Context context;
    const CUdeviceptr shared = allocate(kSharedBytes);
    processes.send(handleOf(shared));
    {
        const GivenEvent filled;
        processes.send(filled.handle());
        const OpenedEvent taken(processes.receive<CUipcEventHandle>());
        const Stream stream;
        for (int round = 0; round < kRounds; ++round) {
            CU(cuStreamWaitEvent(stream, taken, 0));
            CU(cuMemsetD8Async(shared, static_cast<unsigned char>(round + 1), kSharedBytes, stream));
            CU(cuEventRecord(filled, stream));
            processes.send(round);
            processes.receive<int>();
        }
        processes.receive<int>();
    }
    CU(cuMemFree(shared));
    processes.send(1);
    return processes.waitForChild();
}

}  // namespace

int main() {
    const TwoProcesses processes;
    return processes.isChild() ? read(processes) : fill(processes);
}
