// SPDX-License-Identifier: Apache-2.0
#include "gui/app/heap_policy.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace vramscope::gui {

void returnFreedMemory() {
#ifdef __GLIBC__
    // Columns of a million rows are larger than this, what widgets and texts need is smaller.
    constexpr int kLargeBytes = 2 << 20;
    mallopt(M_MMAP_THRESHOLD, kLargeBytes);
    mallopt(M_TRIM_THRESHOLD, 2 * kLargeBytes);
#endif
}

}  // namespace vramscope::gui
