// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/exported_functions.h"

#include <string>

namespace vramscope::sim {
namespace {

struct Since {
    std::string_view name;
    int cudaVersion;
};

/// Versions that came after the first one a program may ask for (cudaTypedefs.h names them). All other _v2
/// date from CUDA 4.0 or before.
constexpr Since kSince[] = {
    {"cuCtxCreate_v3", 11040},
    {"cuCtxCreate_v4", 12050},
    {"cuEventElapsedTime_v2", 12080},
    {"cuMemcpyBatchAsync_v2", 13000},
    {"cuMemcpy3DBatchAsync_v2", 13000},
    {"cuMemAdvise_v2", 12020},
    {"cuMemPrefetchAsync_v2", 12020},
    {"cuGetProcAddress_v2", 12000},
    {"cuCtxSynchronize_v2", 13000},
    {"cuStreamWriteValue32_v2", 11070},
    {"cuStreamWriteValue64_v2", 11070},
    {"cuStreamWaitValue32_v2", 11070},
    {"cuStreamWaitValue64_v2", 11070},
    {"cuStreamBatchMemOp_v2", 11070},
    {"cuStreamGetCaptureInfo_v2", 11030},
    {"cuStreamGetCaptureInfo_v3", 12030},
    {"cuGraphAddKernelNode_v2", 12000},
    {"cuGraphAddNode_v2", 12030},
    {"cuGraphExecUpdate_v2", 12000},
    {"cuGraphKernelNodeGetParams_v2", 12000},
    {"cuGraphKernelNodeSetParams_v2", 12000},
    {"cuGraphExecKernelNodeSetParams_v2", 12000},
    {"cuDeviceGetUuid_v2", 11040},
    {"cuStreamBeginCapture_v2", 10010},
};

/// Names whose newer form is spelled differently.
struct Renamed {
    std::string_view asked;
    int cudaVersion;
    const char* exported;
};
constexpr Renamed kRenamed[] = {{"cuGraphInstantiate", 11040, "cuGraphInstantiateWithFlags"}};

int sinceOf(std::string_view name) {
    for (const Since& since : kSince) {
        if (since.name == name) return since.cudaVersion;
    }
    return 0;
}

void* addressOf(std::string_view name) {
    for (const ExportedFunction* function = firstExportedFunction(); function; function = function->next) {
        if (function->name == name) return function->address;
    }
    return nullptr;
}

}  // namespace

void* findExportedFunction(std::string_view asked, int cudaVersion, bool perThreadStream) {
    std::string name(asked);
    for (const Renamed& renamed : kRenamed) {
        if (renamed.asked == asked && cudaVersion >= renamed.cudaVersion) name = renamed.exported;
    }
    for (const char* version : {"_v4", "_v3", "_v2", ""}) {
        const std::string versioned = name + version;
        if (sinceOf(versioned) > cudaVersion) continue;
        if (perThreadStream) {
            for (const char* variant : {"_ptsz", "_ptds"}) {
                if (void* address = addressOf(versioned + variant)) return address;
            }
        }
        if (void* address = addressOf(versioned)) return address;
    }
    return nullptr;
}

}  // namespace vramscope::sim
