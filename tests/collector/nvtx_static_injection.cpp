// SPDX-License-Identifier: Apache-2.0
// Links the collector's NVTX entry into this program, as NVTX allows with this variable: NVTX calls it where
// it would have loaded an injected library.

#include "collector/inject/nvtx_abi.h"

extern "C" {
int InitializeInjectionNvtx2(vramscope::collector::nvtx::GetExportTable getExportTable);

extern int (*InitializeInjectionNvtx2_fnptr)(vramscope::collector::nvtx::GetExportTable);
int (*InitializeInjectionNvtx2_fnptr)(vramscope::collector::nvtx::GetExportTable) = InitializeInjectionNvtx2;
}
