// SPDX-License-Identifier: Apache-2.0
// A server gives its table to another process and replaces it by a larger one; the other reads the old one
// once more. No call fails, and the bytes are nobody's. Right answer: corruption.use-after-free, proven,
// since the free had returned before the copy began; and, as long as the import is open,
// sharing.stale-import.
#include "samples/programs/ipc_order.h"

using namespace vramscope::samples;

namespace {

CUdeviceptr makeTable(std::size_t sizeBytes) {
    const CUdeviceptr table = allocate(sizeBytes);
    CU(cuMemsetD8(table, 1, sizeBytes));
    CU(cuCtxSynchronize());
    return table;
}

void read(CUdeviceptr own, CUdeviceptr table) {
    CU(cuMemcpyDtoD(own, table, kSharedBytes));
    CU(cuCtxSynchronize());
}

int ask(const TwoProcesses& processes) {
    const Context context;
    const CUdeviceptr table = openShared(processes.receive<CUipcMemHandle>());
    const CUdeviceptr own = allocate(kSharedBytes);
    read(own, table);
    processes.send(1);
    static_cast<void>(processes.receive<CUipcMemHandle>());  // of the new table, which nobody opens
    read(own, table);
    processes.send(1);
    CU(cuIpcCloseMemHandle(table));
    CU(cuMemFree(own));
    return 0;
}

int serve(const TwoProcesses& processes) {
    const Context context;
    CUdeviceptr table = 0;
    for (const std::size_t sizeBytes : {kSharedBytes, 2 * kSharedBytes}) {
        if (table != 0) CU(cuMemFree(table));
        table = makeTable(sizeBytes);
        processes.send(handleOf(table));
        processes.receive<int>();
    }
    CU(cuMemFree(table));
    return processes.waitForChild();
}

}  // namespace

int main() {
    const TwoProcesses processes;
    return processes.isChild() ? ask(processes) : serve(processes);
}
