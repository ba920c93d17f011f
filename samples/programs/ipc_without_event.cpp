// SPDX-License-Identifier: Apache-2.0
// One process fills a buffer and tells another by a pipe, which reads it through an import. A pipe says that
// the work was given to the device and not that it is done; the event that says so is there, and nobody waits
// for it. Right answer: ordering.cross-stream, proven: nothing behind the first call can have told that it is
// done.
#include "samples/programs/ipc_order.h"

using namespace vramscope::samples;

namespace {

int read(const TwoProcesses& processes) {
    const Context context;
    const CUdeviceptr shared = openShared(processes.receive<CUipcMemHandle>());
    const CUdeviceptr own = allocate(kSharedBytes);
    {
        const OpenedEvent filled(processes.receive<CUipcEventHandle>());
        const Stream stream;
        processes.receive<int>();
        CU(cuMemcpyDtoDAsync(own, shared, kSharedBytes, stream));
        stream.wait();
    }
    CU(cuIpcCloseMemHandle(shared));
    processes.send(1);
    CU(cuMemFree(own));
    return 0;
}

int fill(const TwoProcesses& processes) {
    const Context context;
    const CUdeviceptr shared = allocate(kSharedBytes);
    processes.send(handleOf(shared));
    {
        const GivenEvent filled;
        processes.send(filled.handle());
        const Stream stream;
        CU(cuMemsetD8Async(shared, 1, kSharedBytes, stream));
        CU(cuEventRecord(filled, stream));
        processes.send(1);
        processes.receive<int>();
        stream.wait();
    }
    CU(cuMemFree(shared));
    return processes.waitForChild();
}

}  // namespace

int main() {
    const TwoProcesses processes;
    return processes.isChild() ? read(processes) : fill(processes);
}
