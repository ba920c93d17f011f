// SPDX-License-Identifier: Apache-2.0
#pragma once

// What differs between processors: the registers that are followed, how they are read at the start, which
// rows of an unwind table become a compact rule, how a rule is packed and how it is applied. Another
// processor gets a file with the same names.
#if defined(__x86_64__)
#include "collector/unwind/arch_x86_64.h"
#else
#error "The stack unwinder knows x86-64 only; add collector/unwind/arch_<processor>.h"
#endif
