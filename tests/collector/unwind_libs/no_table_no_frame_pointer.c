/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

static __attribute__((noinline)) void inner(UnwindTestCallback callback, void* data) {
    register unsigned long filler __asm__("rbp") = 0x1234567890abcdef;
    __asm__ volatile("" : "+r"(filler));
    callback(data);
    __asm__ volatile("" : "+r"(filler) : : "memory");
}

__attribute__((visibility("default"))) void unwindTestNoTableNoFramePointer(UnwindTestCallback callback,
                                                                            void* data) {
    inner(callback, data);
    __asm__ volatile("" : : : "memory");
}
