// SPDX-License-Identifier: Apache-2.0
#include "samples/programs/sample.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

constexpr const char* kVariable = "callCount";

void findVariable(CUmodule module) {
    CUdeviceptr address = 0;
    std::size_t sizeBytes = 0;
    CU(cuModuleGetGlobal(&address, &sizeBytes, module, kVariable));
}

}  // namespace

// The word is the file of a module with the variable above. Two of three loads are unloaded again.
int unloadModules(const std::vector<std::string>& words) {
    const Context context;
    CUmodule module = nullptr;
    CU(cuModuleLoad(&module, words.at(0).c_str()));
    findVariable(module);
    findVariable(module);
    CU(cuModuleUnload(module));

    CUlibrary library = nullptr;
    CU(cuLibraryLoadFromFile(&library, words.at(0).c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUdeviceptr address = 0;
    std::size_t sizeBytes = 0;
    CU(cuLibraryGetGlobal(&address, &sizeBytes, library, kVariable));
    CU(cuLibraryUnload(library));

    CU(cuModuleLoad(&module, words.at(0).c_str()));
    findVariable(module);
    return 0;
}

int destroyContextAtExit(const std::vector<std::string>& /*words*/) {
    static CUcontext context = nullptr;
    // Registered before the driver is there, so that it runs after everything else that exit() does.
    std::atexit([] { CU_UNREAD(cuCtxDestroy(context)); });
    CU(cuInit(0));
#if CUDA_VERSION >= 13000
    CU(cuCtxCreate(&context, nullptr, 0, 0));
#else
    CU(cuCtxCreate(&context, 0, 0));
#endif
    allocate(kMiB);
    return 0;
}

}  // namespace vramscope::jobs
