/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

__attribute__((visibility("default"))) void unwindTestLazy(UnwindTestCallback callback, void* data) {
    unwindTestLazyTarget(callback, data);
    __asm__ volatile("" : : : "memory");
}
