// SPDX-License-Identifier: Apache-2.0

// The library's second door. Each module of the job that has NVTX compiled in comes through it at its first
// NVTX call, which is often long before CUDA is used: this starts nothing, it only listens until the driver
// has started the collector.

#include "collector/inject/config.h"
#include "collector/inject/nvtx_functions.h"

namespace vramscope::collector::nvtx {

namespace {

bool attach(GetExportTable getExportTable) {
    const auto* exports = static_cast<const CallbackExports*>(getExportTable(kCallbackExports));
    if (exports == nullptr || exports->structBytes < sizeof(CallbackExports)) return false;
    const auto withTable = [exports](Module module, void (*takeOverAll)(FunctionTable, unsigned)) {
        FunctionTable table = nullptr;
        unsigned count = 0;
        if (exports->getModuleFunctionTable(module, &table, &count) != 0 && table != nullptr)
            takeOverAll(table, count);
    };
    withTable(Module::Core, takeOverCore);
    withTable(Module::Core2, takeOverCore2);
    withTable(Module::Cuda, takeOverCuda);
    withTable(Module::CudaRuntime, takeOverCudaRuntime);
    return true;
}

}  // namespace

}  // namespace vramscope::collector::nvtx

/// 0 makes NVTX forget us and turn all its calls into nothing.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    vramscope::collector::nvtx::GetExportTable getExportTable) {
    using namespace vramscope::collector;
    if (getExportTable == nullptr || readConfig().sessionDirectory[0] == '\0') return 0;
    return nvtx::attach(getExportTable) ? 1 : 0;
}
