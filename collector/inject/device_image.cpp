// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/device_image.h"

#ifdef VRAMSCOPE_DEVICE_IMAGE
// Put in by the assembler: the library stays one file.
asm(".section .rodata\n"
    ".balign 64\n"
    ".hidden vramscope_device_image\n"
    ".global vramscope_device_image\n"
    "vramscope_device_image:\n"
    ".incbin \"" VRAMSCOPE_DEVICE_IMAGE
    "\"\n"
    ".previous\n");
extern "C" __attribute__((visibility("hidden"))) const char vramscope_device_image[];
#endif

namespace vramscope::collector {

const void* deviceImage() {
#ifdef VRAMSCOPE_DEVICE_IMAGE
    return vramscope_device_image;
#else
    return nullptr;
#endif
}

}  // namespace vramscope::collector
