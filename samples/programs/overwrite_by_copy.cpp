// SPDX-License-Identifier: Apache-2.0
// Two threads, each with a task and a table of its own. The writer's copy is given an address of the reader's
// table, as after a mixed-up index. Right answer: corruption.overwrite, proven: owner reader, writer, 4096
// bytes.
#include <thread>
#include <vector>
#include <vramscope/annotate.h>

#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr std::size_t kTableBytes = 4 * kMiB;
constexpr std::size_t kRowBytes = 4096;

CUdeviceptr makeTable(const char* name, unsigned char value) {
    const CUdeviceptr table = allocate(kTableBytes);
    vramscope_name(reinterpret_cast<const void*>(table), 0, name);
    CU(cuMemsetD8(table, value, kTableBytes));
    return table;
}

}  // namespace

int main() {
    const Context context;
    CUdeviceptr readers = 0;
    CUdeviceptr writers = 0;
    std::thread([&] {
        const vramscope::TaskScope task("reader");
        context.use();
        readers = makeTable("reader.table", 1);
    }).join();
    std::thread([&] {
        const vramscope::TaskScope task("writer");
        context.use();
        writers = makeTable("writer.table", 2);
        const std::vector<unsigned char> row(kRowBytes, 3);
        CU(cuMemcpyHtoD(writers + kRowBytes, row.data(), kRowBytes));
        CU(cuMemcpyHtoD(readers + 2 * kRowBytes, row.data(), kRowBytes));
    }).join();
    std::thread([&] {
        const vramscope::TaskScope task("reader");
        context.use();
        unsigned char seen = 0;
        CU(cuMemcpyDtoH(&seen, readers + 2 * kRowBytes, 1));
        if (seen != 3) std::_Exit(1);
        CU(cuMemFree(readers));
    }).join();
    CU(cuMemFree(writers));
    return 0;
}
