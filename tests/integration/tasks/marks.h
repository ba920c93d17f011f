/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Whether annotate.h found a listener. */
int marksAreHeard(void);
/* Names the first 16 bytes at `address`, in a task of its own. */
void markFromC(const void* address);

#ifdef __cplusplus
}
#endif
