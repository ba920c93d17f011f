// SPDX-License-Identifier: Apache-2.0
// The trainer lends its table to another process for reading, and that writes a row. Right answer:
// corruption.overwrite, proven: written through the import, 4096 bytes.
#include "samples/programs/lent_table.h"

using namespace vramscope::samples;

int main() {
    const TwoProcesses processes;
    return processes.isChild() ? fillRow(processes) : lendTable(processes, VRAMSCOPE_READ);
}
