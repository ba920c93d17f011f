// SPDX-License-Identifier: Apache-2.0
// Version, clock, ids and error texts of the simulated CUPTI.
#include <ctime>

#include "samples/sim/cuda_abi.h"
#include "samples/sim/cupti/driver_link.h"

#pragma GCC visibility push(default)
using namespace vramscope::sim;  // NOLINT: the C functions below are this file's exports

CUptiResult CUPTIAPI cuptiGetVersion(uint32_t* version) {
    if (!version) return CUPTI_ERROR_INVALID_PARAMETER;
    *version = CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t* timestamp) {
    if (!timestamp) return CUPTI_ERROR_INVALID_PARAMETER;
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    *timestamp = uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetContextId(CUcontext context, uint32_t* id) {
    if (!id) return CUPTI_ERROR_INVALID_PARAMETER;
    const DriverTable* driver = driverTable();
    return driver && driver->contextId(context, id) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT;
}

CUptiResult CUPTIAPI cuptiGetDeviceId(CUcontext context, uint32_t* id) {
    if (!id) return CUPTI_ERROR_INVALID_PARAMETER;
    const DriverTable* driver = driverTable();
    return driver && driver->deviceId(context, id) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT;
}

CUptiResult CUPTIAPI cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t perThread, uint32_t* id) {
    if (!id) return CUPTI_ERROR_INVALID_PARAMETER;
    const DriverTable* driver = driverTable();
    return driver && driver->streamId(context, stream, perThread != 0, id) ? CUPTI_SUCCESS
                                                                           : CUPTI_ERROR_INVALID_STREAM;
}

CUptiResult CUPTIAPI cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t* id) {
    return cuptiGetStreamIdEx(context, stream, 0, id);
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char** text) {
    if (!text) return CUPTI_ERROR_INVALID_PARAMETER;
    switch (result) {
        case CUPTI_SUCCESS:
            *text = "CUPTI_SUCCESS";
            break;
        case CUPTI_ERROR_INVALID_PARAMETER:
            *text = "CUPTI_ERROR_INVALID_PARAMETER";
            break;
        case CUPTI_ERROR_INVALID_CONTEXT:
            *text = "CUPTI_ERROR_INVALID_CONTEXT";
            break;
        case CUPTI_ERROR_INVALID_STREAM:
            *text = "CUPTI_ERROR_INVALID_STREAM";
            break;
        case CUPTI_ERROR_NOT_INITIALIZED:
            *text = "CUPTI_ERROR_NOT_INITIALIZED";
            break;
        case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
            *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
            break;
        default:
            *text = "CUPTI_ERROR_UNKNOWN";
            return CUPTI_ERROR_INVALID_PARAMETER;
    }
    return CUPTI_SUCCESS;
}
#pragma GCC visibility pop
