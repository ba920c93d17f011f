// SPDX-License-Identifier: Apache-2.0
// Two processes. The trainer exports its table and lends it for reading; the other process opens it, reads
// it, and then writes a row. Right answer: corruption.overwrite, proven: written through the import, 4096
// bytes.
#include <vramscope/annotate.h>

#include "samples/programs/two_processes.h"

using namespace vramscope::samples;

namespace {

constexpr std::size_t kTableBytes = 4 * kMiB;
constexpr std::size_t kRowBytes = 4096;

int evaluate(const TwoProcesses& processes) {
    const Context context;
    const auto handle = processes.receive<CUipcMemHandle>();
    const CUdeviceptr own = allocate(kTableBytes);
    CUdeviceptr table = 0;
    CU(cuIpcOpenMemHandle(&table, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    CU(cuMemcpyDtoD(own, table, kTableBytes));
    CU(cuMemsetD8(table + 2 * kRowBytes, 7, kRowBytes));
    CU(cuCtxSynchronize());
    CU(cuIpcCloseMemHandle(table));
    CU(cuMemFree(own));
    processes.send(1);
    return 0;
}

int train(const TwoProcesses& processes) {
    const Context context;
    const vramscope::TaskScope task("trainer");
    const CUdeviceptr table = allocate(kTableBytes);
    vramscope_name(reinterpret_cast<const void*>(table), 0, "trainer.table");
    CU(cuMemsetD8(table, 1, kTableBytes));
    CU(cuCtxSynchronize());
    vramscope_lend(reinterpret_cast<const void*>(table), 0, nullptr, VRAMSCOPE_READ);
    CUipcMemHandle handle{};
    CU(cuIpcGetMemHandle(&handle, table));
    processes.send(handle);
    processes.receive<int>();
    unsigned char seen = 0;
    CU(cuMemcpyDtoH(&seen, table + 2 * kRowBytes, 1));
    CU(cuMemFree(table));
    return seen == 7 ? processes.waitForChild() : 1;
}

}  // namespace

int main() {
    const TwoProcesses processes;
    return processes.isChild() ? evaluate(processes) : train(processes);
}
