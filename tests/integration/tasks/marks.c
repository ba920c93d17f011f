/* SPDX-License-Identifier: Apache-2.0 */
/* annotate.h in plain C. */
#include "tests/integration/tasks/marks.h"

#include <vramscope/annotate.h>

int marksAreHeard(void) {
    return vramscope_listener() != NULL;
}

void markFromC(const void* address) {
    vramscope_task_push("from C");
    vramscope_name(address, 16, "named in C");
    vramscope_task_pop();
}
