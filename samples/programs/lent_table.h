// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vramscope/annotate.h>

#include "samples/programs/two_processes.h"

// Two processes and a table: the trainer exports it and lends it, the other process opens it, reads it and
// writes a row. Whether it may is what the samples differ in.

namespace vramscope::samples {

inline constexpr std::size_t kTableBytes = 4 * kMiB;
inline constexpr std::size_t kRowBytes = 4096;

inline int fillRow(const TwoProcesses& processes) {
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

inline int lendTable(const TwoProcesses& processes, int access) {
    const Context context;
    const vramscope::TaskScope task("trainer");
    const CUdeviceptr table = allocate(kTableBytes);
    vramscope_name(reinterpret_cast<const void*>(table), 0, "trainer.table");
    CU(cuMemsetD8(table, 1, kTableBytes));
    CU(cuCtxSynchronize());
    vramscope_lend(reinterpret_cast<const void*>(table), 0, nullptr, access);
    CUipcMemHandle handle{};
    CU(cuIpcGetMemHandle(&handle, table));
    processes.send(handle);
    processes.receive<int>();
    unsigned char seen = 0;
    CU(cuMemcpyDtoH(&seen, table + 2 * kRowBytes, 1));
    CU(cuMemFree(table));
    return seen == 7 ? processes.waitForChild() : 1;
}

}  // namespace vramscope::samples
