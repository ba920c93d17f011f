// SPDX-License-Identifier: Apache-2.0

// Contexts and what modules bring along.

#include <cuda.h>

#include "collector/inject/address_filter.h"
#include "collector/inject/call_table.h"
#include "collector/inject/exact.h"

namespace vramscope::collector {

namespace {

using formats::RecordType;

using formats::PrimaryContextCall;

void writePrimary(Call& call, PrimaryContextCall what, std::uint64_t context, CUdevice device) {
    formats::Record* record = beginRecord(call, RecordType::PrimaryContext, static_cast<std::uint8_t>(what));
    if (record == nullptr) return;
    record->context = {context, device, 1, {}};
    endRecord(call, record);
}
void decodeRetain(Call& call) {
    const auto& p = call.parameters<cuDevicePrimaryCtxRetain_params>();
    writePrimary(call, PrimaryContextCall::Retain, outputOf(call, p.pctx), p.dev);
}
void decodeRelease(Call& call) {
    writePrimary(call, PrimaryContextCall::Release, 0,
                 call.parameters<cuDevicePrimaryCtxRelease_v2_params>().dev);
}
void decodeReset(Call& call) {
    writePrimary(call, PrimaryContextCall::Reset, 0,
                 call.parameters<cuDevicePrimaryCtxReset_v2_params>().dev);
}

// Creation and destruction themselves come as resource events (context_events.cpp), which know number and
// device.
void decodeContextCall(Call& /*call*/) {}

void writeGlobal(Call& call, const CUdeviceptr* address, const std::size_t* bytes, std::uint64_t module) {
    if (!call.succeeded() || address == nullptr || bytes == nullptr) return;
    g_hot.addressFilter.add(*address, *bytes);
    exactMemoryAdded(*address, *bytes);
    formats::Record* record = beginRecord(call, RecordType::ModuleGlobal);
    if (record == nullptr) return;
    record->module = {module, *address, *bytes, 0, 0};
    endRecord(call, record);
}
void decodeModuleGlobal(Call& call) {
    const auto& p = call.parameters<cuModuleGetGlobal_v2_params>();
    writeGlobal(call, p.dptr, p.bytes, asWord(p.hmod));
}
void decodeLibraryGlobal(Call& call) {
    const auto& p = call.parameters<cuLibraryGetGlobal_params>();
    writeGlobal(call, p.dptr, p.bytes, asWord(p.library));
}

// Both take the handle and nothing else.
void decodeUnload(Call& call) {
    if (!call.succeeded()) return;
    formats::Record* record = beginRecord(call, RecordType::GpuModule,
                                          static_cast<std::uint8_t>(formats::GpuModuleEvent::UnloadCall));
    if (record == nullptr) return;
    record->module = {*static_cast<const std::uint64_t*>(call.data.functionParams), 0, 0, 0, 0};
    endRecord(call, record);
}

}  // namespace

void registerContextCalls() {
    addCalls({VRAMSCOPE_ID(cuDevicePrimaryCtxRetain)}, {.decode = decodeRetain, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuDevicePrimaryCtxRelease), VRAMSCOPE_ID(cuDevicePrimaryCtxRelease_v2)},
             {.decode = decodeRelease, .mutates = true, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuDevicePrimaryCtxReset), VRAMSCOPE_ID(cuDevicePrimaryCtxReset_v2)},
             {.decode = decodeReset, .mutates = true, .takesStack = true});
    // A green context becomes a context when it is made or when it is first turned into one.
    addCalls({VRAMSCOPE_ID(cuCtxCreate), VRAMSCOPE_ID(cuCtxCreate_v2), VRAMSCOPE_ID(cuCtxCreate_v3),
              VRAMSCOPE_ID(cuCtxCreate_v4), VRAMSCOPE_ID(cuGreenCtxCreate), VRAMSCOPE_ID(cuCtxFromGreenCtx)},
             {.decode = decodeContextCall, .takesStack = true, .createsContext = true});
    addCalls({VRAMSCOPE_ID(cuCtxDestroy), VRAMSCOPE_ID(cuCtxDestroy_v2), VRAMSCOPE_ID(cuGreenCtxDestroy)},
             {.decode = decodeContextCall, .mutates = true, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuModuleGetGlobal_v2)}, {.decode = decodeModuleGlobal});
    addCalls({VRAMSCOPE_ID(cuLibraryGetGlobal), VRAMSCOPE_ID(cuLibraryGetManaged)},
             {.decode = decodeLibraryGlobal});
    addCalls({VRAMSCOPE_ID(cuModuleUnload), VRAMSCOPE_ID(cuLibraryUnload)},
             {.decode = decodeUnload, .mutates = true, .takesStack = true});
}

}  // namespace vramscope::collector
