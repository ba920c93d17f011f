// SPDX-License-Identifier: Apache-2.0

// Contexts and what modules bring along.

#include <cuda.h>

#include "collector/inject/address_filter.h"
#include "collector/inject/call_table.h"

namespace vramscope::collector {

namespace {

using formats::RecordType;

// PrimaryContext records, by detail.
constexpr std::uint8_t kRetain = 0;
constexpr std::uint8_t kRelease = 1;
constexpr std::uint8_t kReset = 2;

void writePrimary(Call& call, std::uint8_t what, std::uint64_t context, CUdevice device) {
    formats::Record* record = beginRecord(call, RecordType::PrimaryContext, what);
    if (record == nullptr) return;
    record->context = {context, device, 1, 0, 0};
    endRecord(call, record);
}
void decodeRetain(Call& call) {
    const auto& p = call.parameters<cuDevicePrimaryCtxRetain_params>();
    writePrimary(call, kRetain, outputOf(call, p.pctx), p.dev);
}
void decodeRelease(Call& call) {
    writePrimary(call, kRelease, 0, call.parameters<cuDevicePrimaryCtxRelease_v2_params>().dev);
}
void decodeReset(Call& call) {
    writePrimary(call, kReset, 0, call.parameters<cuDevicePrimaryCtxReset_v2_params>().dev);
}

// Creation and destruction themselves come as resource events (context_events.cpp), which know number and
// device; here only failures are worth a record.
void decodeContextCall(Call& call) {
    if (call.succeeded()) return;
    formats::Record* record = beginRecord(call, RecordType::CallFailed);
    if (record != nullptr) endRecord(call, record);
}

void writeGlobal(Call& call, const CUdeviceptr* address, const std::size_t* bytes, std::uint64_t module) {
    if (!call.succeeded() || address == nullptr || bytes == nullptr) return;
    g_addressFilter.add(*address, *bytes);
    formats::Record* record = beginRecord(call, RecordType::ModuleGlobal);
    if (record == nullptr) return;
    record->module = {module, *address, *bytes, 0};
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

}  // namespace

void registerContextCalls() {
    addCalls({VRAMSCOPE_ID(cuDevicePrimaryCtxRetain)}, {.decode = decodeRetain, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuDevicePrimaryCtxRelease), VRAMSCOPE_ID(cuDevicePrimaryCtxRelease_v2)},
             {.decode = decodeRelease, .mutates = true, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuDevicePrimaryCtxReset), VRAMSCOPE_ID(cuDevicePrimaryCtxReset_v2)},
             {.decode = decodeReset, .mutates = true, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuCtxCreate_v2), VRAMSCOPE_ID(cuCtxCreate_v3), VRAMSCOPE_ID(cuCtxCreate_v4)},
             {.decode = decodeContextCall, .takesStack = true, .createsContext = true});
    addCalls({VRAMSCOPE_ID(cuCtxDestroy), VRAMSCOPE_ID(cuCtxDestroy_v2)},
             {.decode = decodeContextCall, .mutates = true, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuModuleGetGlobal_v2)}, {.decode = decodeModuleGlobal});
    addCalls({VRAMSCOPE_ID(cuLibraryGetGlobal), VRAMSCOPE_ID(cuLibraryGetManaged)},
             {.decode = decodeLibraryGlobal});
}

}  // namespace vramscope::collector
