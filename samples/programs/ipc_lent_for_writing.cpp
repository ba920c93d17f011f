// SPDX-License-Identifier: Apache-2.0
// The trainer lends its table to another process for writing, and that writes a row. Right answer: nothing.
#include "samples/programs/lent_table.h"

using namespace vramscope::samples;

int main() {
    const TwoProcesses processes;
    return processes.isChild() ? fillRow(processes) : lendTable(processes, VRAMSCOPE_WRITE);
}
