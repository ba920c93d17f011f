// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/call_table.h"

namespace vramscope::collector {

CallRule g_driverCalls[kMaxDriverApis];

namespace {

// Calls that frameworks make so often, and that say so little, that even an empty callback is waste. Most are
// questions whose error is an answer; a context that could not be made current shows in the next call.
// Everything else is watched for failures.
constexpr ApiId kNeverWatched[] = {
    VRAMSCOPE_ID(cuInit),
    VRAMSCOPE_ID(cuDriverGetVersion),
    VRAMSCOPE_ID(cuDeviceGet),
    VRAMSCOPE_ID(cuDeviceGetCount),
    VRAMSCOPE_ID(cuDeviceGetName),
    VRAMSCOPE_ID(cuDeviceGetAttribute),
    VRAMSCOPE_ID(cuDevicePrimaryCtxGetState),
    VRAMSCOPE_ID(cuCtxGetCurrent),
    VRAMSCOPE_ID(cuCtxSetCurrent),
    VRAMSCOPE_ID(cuCtxGetDevice),
    VRAMSCOPE_ID(cuCtxGetDevice_v2),
    VRAMSCOPE_ID(cuCtxPushCurrent),
    VRAMSCOPE_ID(cuCtxPushCurrent_v2),
    VRAMSCOPE_ID(cuCtxPopCurrent),
    VRAMSCOPE_ID(cuCtxPopCurrent_v2),
    VRAMSCOPE_ID(cuCtxGetStreamPriorityRange),
    VRAMSCOPE_ID(cuGetExportTable),
    VRAMSCOPE_ID(cuPointerGetAttribute),
    VRAMSCOPE_ID(cuPointerGetAttributes),
    VRAMSCOPE_ID(cuStreamIsCapturing),
    VRAMSCOPE_ID(cuStreamIsCapturing_ptsz),
    VRAMSCOPE_ID(cuStreamGetCaptureInfo),
    VRAMSCOPE_ID(cuStreamGetCaptureInfo_ptsz),
    VRAMSCOPE_ID(cuStreamGetCaptureInfo_v2),
    VRAMSCOPE_ID(cuStreamGetCaptureInfo_v2_ptsz),
    VRAMSCOPE_ID(cuStreamGetCaptureInfo_v3),
    VRAMSCOPE_ID(cuStreamGetCaptureInfo_v3_ptsz),
    VRAMSCOPE_ID(cuStreamGetCtx),
    VRAMSCOPE_ID(cuStreamGetCtx_ptsz),
    VRAMSCOPE_ID(cuFuncGetAttribute),
    VRAMSCOPE_ID(cuFuncGetModule),
    VRAMSCOPE_ID(cuKernelGetFunction),
    VRAMSCOPE_ID(cuKernelGetAttribute),
    VRAMSCOPE_ID(cuKernelGetName),
    VRAMSCOPE_ID(cuFuncGetName),
    VRAMSCOPE_ID(cuFuncGetParamInfo),
    VRAMSCOPE_ID(cuKernelGetParamInfo),
    VRAMSCOPE_ID(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    VRAMSCOPE_ID(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
    VRAMSCOPE_ID(cuGetErrorString),
    VRAMSCOPE_ID(cuGetErrorName),
};

}  // namespace

void addCalls(std::initializer_list<ApiId> ids, CallRule rule) {
    rule.isWatched = true;
    for (const ApiId id : ids) {
        rule.isPerThread = id.isPerThread;
        if (id < kMaxDriverApis) g_driverCalls[id] = rule;
    }
}

void buildCallTable() {
    for (std::uint32_t id = 1; id < CUPTI_DRIVER_TRACE_CBID_SIZE; ++id)
        g_driverCalls[id].isWatched = true;
    for (const std::uint32_t id : kNeverWatched)
        g_driverCalls[id].isWatched = false;
    registerMemoryCalls();
    registerVmmCalls();
    registerPoolCalls();
    registerCopyCalls();
    registerSetCalls();
    registerLaunchCalls();
    registerStreamCalls();
    registerObjectCalls();
    registerGraphCalls();
    registerGraphNodeCalls();
    registerShareCalls();
    registerModuleCalls();
    registerContextCalls();
}

formats::Record* beginRecord(Call& call, formats::RecordType type, std::uint8_t detail, std::uint32_t slots) {
    call.isRecorded = true;
    formats::Record* record = reserve(call.thread, slots);
    if (record == nullptr) return nullptr;
    record->header = headerOf(call, type, detail, slots);
    return record;
}

}  // namespace vramscope::collector
