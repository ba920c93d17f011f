/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

static __attribute__((noinline)) void inner(UnwindTestCallback callback, void* data) {
    callback(data);
    __asm__ volatile("" : : : "memory");
}

__attribute__((visibility("default"))) void unwindTestNoTable(UnwindTestCallback callback, void* data) {
    inner(callback, data);
    __asm__ volatile("" : : : "memory");
}
