// SPDX-License-Identifier: Apache-2.0
// A scratch buffer is lent for writing, used, and taken back; the borrower then writes it once more. Right
// answer: corruption.overwrite of that last write, and of none before.
#include <vramscope/annotate.h>

#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr std::size_t kBytes = kMiB;

}  // namespace

int main() {
    const Context context;
    vramscope_task_push("owner");
    const CUdeviceptr scratch = allocate(kBytes);
    const auto* pointer = reinterpret_cast<const void*>(scratch);
    vramscope_name(pointer, 0, "scratch");
    CU(cuMemsetD8(scratch, 0, kBytes));
    vramscope_lend(pointer, 0, "borrower", VRAMSCOPE_READ | VRAMSCOPE_WRITE);
    vramscope_task_push("borrower");
    for (int round = 0; round < 3; ++round)
        CU(cuMemsetD8(scratch, 1, kBytes));
    vramscope_task_pop();
    vramscope_lend_end(pointer, 0, "borrower");
    CU(cuMemsetD8(scratch, 2, kBytes));
    vramscope_task_push("borrower");
    CU(cuMemsetD8(scratch, 3, kBytes / 2));
    vramscope_task_pop();
    CU(cuMemFree(scratch));
    vramscope_task_pop();
    return 0;
}
