// SPDX-License-Identifier: Apache-2.0
#include "samples/programs/kernel_image.h"

#include <cstring>

// The images are put into the program by the assembler, so that a sample is one file that can be copied
// anywhere.
#define EMBED(symbol, file)             \
    asm(".section .rodata\n"            \
        ".balign 16\n"                  \
        ".global " #symbol "\n" #symbol \
        ":\n"                           \
        ".incbin \"" file               \
        "\"\n"                          \
        ".balign 16\n"                  \
        ".quad 0\n"                     \
        ".previous\n")

extern "C" const char vramscope_sample_sim_image[];
EMBED(vramscope_sample_sim_image, VRAMSCOPE_SIM_IMAGE);
#ifdef VRAMSCOPE_GPU_IMAGE
extern "C" const char vramscope_sample_gpu_image[];
EMBED(vramscope_sample_gpu_image, VRAMSCOPE_GPU_IMAGE);
#endif

namespace vramscope::samples {
namespace {

bool isSimulated() {
    CUdevice device = 0;
    CU(cuCtxGetDevice(&device));
    char name[64] = "";
    CU(cuDeviceGetName(name, sizeof(name), device));
    return std::strcmp(name, "simulated device") == 0;
}

const char* fittingImage() {
    if (isSimulated()) return vramscope_sample_sim_image;
#ifdef VRAMSCOPE_GPU_IMAGE
    return vramscope_sample_gpu_image;
#else
    std::fprintf(stderr, "this sample was built without nvcc: it has no kernels for a GPU\n");
    std::exit(1);
#endif
}

}  // namespace

Kernels::Kernels() {
    CU(cuModuleLoadData(&m_module, fittingImage()));
}

CUfunction Kernels::find(const char* name) const {
    CUfunction function = nullptr;
    CU(cuModuleGetFunction(&function, m_module, name));
    return function;
}

void Kernels::launch(CUfunction function, CUstream stream, int threads, void** arguments) {
    constexpr unsigned int kBlock = 128;
    const unsigned int blocks = (static_cast<unsigned int>(threads) + kBlock - 1) / kBlock;
    CU(cuLaunchKernel(function, blocks, 1, 1, kBlock, 1, 1, 0, stream, arguments, nullptr));
}

}  // namespace vramscope::samples
