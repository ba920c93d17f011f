// SPDX-License-Identifier: Apache-2.0

// What processes give each other: handles to memory, events, physical memory and pools; and access between
// devices. The memory that an import maps has a record of its own (decode_memory.cpp, decode_vmm.cpp).

#include <cuda.h>

#include "collector/inject/call_table.h"
#include "collector/inject/handle_hash.h"
#include "collector/inject/share_records.h"

namespace vramscope::collector {

namespace {

using formats::RecordType;
using formats::ShareKind;

constexpr std::int32_t kNoDescriptor = -1;

void writeShare(Call& call, ShareKind kind, const formats::SharePayload& payload) {
    if (!call.succeeded()) return;
    formats::Record* record = beginRecord(call, RecordType::Share, static_cast<std::uint8_t>(kind));
    if (record == nullptr) return;
    record->share = payload;
    endRecord(call, record);
}

}  // namespace

void writeBytesShare(Call& call, ShareKind kind, std::uint64_t subject, const void* bytes, std::size_t size) {
    if (bytes != nullptr) writeShare(call, kind, {subject, handleHash(bytes, size), kNoDescriptor, 0, 0});
}

void writeShareableHandle(Call& call, ShareKind kind, std::uint64_t subject, CUmemAllocationHandleType type,
                          const void* handle, bool isGiven) {
    const auto typeNumber = static_cast<std::uint32_t>(type);
    if (handle == nullptr && isGiven) return;
    if (type == CU_MEM_HANDLE_TYPE_FABRIC) {
        writeShare(call, kind,
                   {subject, handleHash(handle, sizeof(CUmemFabricHandle)), kNoDescriptor, typeNumber, 0});
    }
    if (type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
        // A call that gives one writes it behind the pointer; one that takes it has it in the pointer's
        // place.
        const auto descriptor = isGiven ? *static_cast<const int*>(handle)
                                        : static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
        writeShare(call, kind, {subject, 0, descriptor, typeNumber, 0});
    }
}

namespace {

void decodeMemoryExport(Call& call) {
    const auto& p = call.parameters<cuIpcGetMemHandle_params>();
    writeBytesShare(call, ShareKind::MemoryExport, p.dptr, p.pHandle, sizeof(CUipcMemHandle));
}
void decodeEventExport(Call& call) {
    const auto& p = call.parameters<cuIpcGetEventHandle_params>();
    writeBytesShare(call, ShareKind::EventExport, asWord(p.event), p.pHandle, sizeof(CUipcEventHandle));
}
void decodeHandleExport(Call& call) {
    const auto& p = call.parameters<cuMemExportToShareableHandle_params>();
    if (call.succeeded())
        writeShareableHandle(call, ShareKind::HandleExport, p.handle, p.handleType, p.shareableHandle, true);
}
void decodePoolExport(Call& call) {
    const auto& p = call.parameters<cuMemPoolExportToShareableHandle_params>();
    if (call.succeeded())
        writeShareableHandle(call, ShareKind::PoolExport, asWord(p.pool), p.handleType, p.handle_out, true);
}
void decodePointerExport(Call& call) {
    const auto& p = call.parameters<cuMemPoolExportPointer_params>();
    writeBytesShare(call, ShareKind::PointerExport, p.ptr, p.shareData_out, sizeof(CUmemPoolPtrExportData));
}

void writePeerAccess(Call& call, CUcontext peer, bool isEnabled) {
    if (!call.succeeded()) return;
    formats::Record* record = beginRecord(call, RecordType::PeerAccess, isEnabled ? 1 : 0);
    if (record == nullptr) return;
    record->peerAccess = {asWord(peer), {}};
    endRecord(call, record);
}
void decodeEnablePeer(Call& call) {
    writePeerAccess(call, call.parameters<cuCtxEnablePeerAccess_params>().peerContext, true);
}
void decodeDisablePeer(Call& call) {
    writePeerAccess(call, call.parameters<cuCtxDisablePeerAccess_params>().peerContext, false);
}

}  // namespace

void registerShareCalls() {
    addCalls({VRAMSCOPE_ID(cuIpcGetMemHandle)}, {.decode = decodeMemoryExport, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuIpcGetEventHandle)}, {.decode = decodeEventExport, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemExportToShareableHandle)},
             {.decode = decodeHandleExport, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemPoolExportToShareableHandle)},
             {.decode = decodePoolExport, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemPoolExportPointer)}, {.decode = decodePointerExport, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuCtxEnablePeerAccess)}, {.decode = decodeEnablePeer});
    addCalls({VRAMSCOPE_ID(cuCtxDisablePeerAccess)}, {.decode = decodeDisablePeer});
}

}  // namespace vramscope::collector
