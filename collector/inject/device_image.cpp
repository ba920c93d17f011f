// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/device_image.h"

// Put in by the assembler: the library stays one file.
#define VRAMSCOPE_EMBED(name, file)                                                                       \
    asm(".section .rodata\n.balign 64\n.hidden " #name "\n.global " #name "\n" #name ":\n.incbin \"" file \
        "\"\n.previous\n");                                                                               \
    extern "C" __attribute__((visibility("hidden"))) const char name[]

#ifdef VRAMSCOPE_DEVICE_IMAGE
VRAMSCOPE_EMBED(vramscope_device_image, VRAMSCOPE_DEVICE_IMAGE);
VRAMSCOPE_EMBED(vramscope_exact_image, VRAMSCOPE_EXACT_IMAGE);
#endif

namespace vramscope::collector {

const void* deviceImage() {
#ifdef VRAMSCOPE_DEVICE_IMAGE
    return vramscope_device_image;
#else
    return nullptr;
#endif
}

const void* exactPatchImage() {
#ifdef VRAMSCOPE_DEVICE_IMAGE
    return vramscope_exact_image;
#else
    return nullptr;
#endif
}

}  // namespace vramscope::collector
