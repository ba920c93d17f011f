/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

__attribute__((visibility("default"), noinline)) void unwindTestNoFramePointer(UnwindTestCallback callback,
                                                                               void* data, int depth) {
    volatile char local[40];
    local[0] = (char)depth;
    /* Something that the callback must not find in the frame pointer. */
    register unsigned long filler __asm__("rbp") = 0x1234567890abcdef;
    __asm__ volatile("" : "+r"(filler));
    if (depth == 0) {
        callback(data);
    } else {
        unwindTestNoFramePointer(callback, data, depth - 1);
    }
    __asm__ volatile("" : "+r"(filler) : : "memory");
    local[1] = local[0];
}
