/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the small test libraries export: each calls back through frames of one kind. */
#ifdef __cplusplus
extern "C" {
#endif

typedef void (*UnwindTestCallback)(void* data);

/* `depth` frames that use rbp as a common register; has unwind tables. */
void unwindTestNoFramePointer(UnwindTestCallback callback, void* data, int depth);
/* Calls unwindTestLazyTarget of the main program, bound at the first call. */
void unwindTestLazy(UnwindTestCallback callback, void* data);
void unwindTestLazyTarget(UnwindTestCallback callback, void* data);
/* Two frames each, without any unwind table: with frame pointers, and with rbp holding garbage. */
void unwindTestNoTable(UnwindTestCallback callback, void* data);
void unwindTestNoTableNoFramePointer(UnwindTestCallback callback, void* data);

#ifdef __cplusplus
}
#endif
