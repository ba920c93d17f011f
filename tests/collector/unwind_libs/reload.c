/* SPDX-License-Identifier: Apache-2.0 */
/* Built twice with different UNWIND_TEST_LOCAL_BYTES: same size, same symbols, other frames. The local is
   large in both, so that its size is a 4-byte operand and the two builds' return addresses coincide. */
#include "calls.h"

__attribute__((visibility("default"), noinline)) void unwindTestReload(UnwindTestCallback callback,
                                                                       void* data) {
    volatile char local[UNWIND_TEST_LOCAL_BYTES];
    local[0] = 1;
    callback(data);
    local[1] = local[0];
}

/* A second return address in each build, which only unwindTestReloadNested's callers see. */
__attribute__((visibility("default"))) void unwindTestReloadNested(UnwindTestCallback callback, void* data) {
    unwindTestReload(callback, data);
    __asm__ volatile("" : : : "memory");
}
