// SPDX-License-Identifier: Apache-2.0

// Plain, pitched, managed, pinned and registered memory, arrays, and imports from other processes.

#include <cuda.h>

#include "collector/inject/address_filter.h"
#include "collector/inject/array_size.h"
#include "collector/inject/call_table.h"
#include "collector/inject/captures.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/enlarged_call.h"
#include "collector/inject/exact.h"
#include "collector/inject/perturb.h"
#include "collector/inject/poison.h"
#include "collector/inject/share_records.h"
#include "collector/inject/watch.h"

namespace vramscope::collector {

namespace {

using formats::BufferKind;
using formats::FreeFamily;
using formats::RecordType;

void writeAlloc(Call& call, BufferKind kind, std::uint64_t address, std::uint64_t sizeBytes,
                std::uint64_t flags = 0) {
    if (kind != BufferKind::Array) g_hot.addressFilter.add(address, call.succeeded() ? sizeBytes : 0);
    if (kind != BufferKind::Array && call.succeeded()) exactMemoryAdded(address, sizeBytes);
    formats::Record* record = beginRecord(call, RecordType::Alloc, static_cast<std::uint8_t>(kind));
    if (record == nullptr) return;
    record->alloc = {address, sizeBytes, 0, flags};
    endRecord(call, record);
}

void writeFree(Call& call, FreeFamily family, std::uint64_t address) {
    if (family != FreeFamily::Array && call.succeeded()) exactMemoryRemoved(address, call.enterTicks);
    formats::Record* record = beginRecord(call, RecordType::Free, static_cast<std::uint8_t>(family));
    if (record == nullptr) return;
    record->free.address = address;
    endRecord(call, record);
}

template <typename Parameters>
void writeGuarded(Call& call, BufferKind kind, const Parameters& p, std::uint64_t flags = 0) {
    const std::uint64_t sizeBytes = sizeWithoutGuard(call, p.bytesize);
    const std::uint64_t address = outputOf(call, p.dptr);
    writeAlloc(call, kind, address, sizeBytes, flags);
    if (poisonIsOn()) poisonNew(call, address, sizeBytes, false, nullptr);
    if (guardsAreOn()) registerGuard(call, address, sizeBytes, false, nullptr);
    if (watchIsOn() && kind == BufferKind::Device) watchNew(call, address, sizeBytes, false, nullptr);
}

void decodeAlloc(Call& call) {
    writeGuarded(call, BufferKind::Device, call.parameters<cuMemAlloc_v2_params>());
}

void decodeAllocPitch(Call& call) {
    const auto& p = call.parameters<cuMemAllocPitch_v2_params>();
    const std::uint64_t pitch = call.succeeded() && p.pPitch != nullptr ? *p.pPitch : p.WidthInBytes;
    writeAlloc(call, BufferKind::Device, outputOf(call, p.dptr), pitch * p.Height);
    if (watchIsOn()) watchNew(call, outputOf(call, p.dptr), pitch * p.Height, false, nullptr);
}

void decodeAllocManaged(Call& call) {
    const auto& p = call.parameters<cuMemAllocManaged_params>();
    writeGuarded(call, BufferKind::Managed, p, p.flags);
}

void decodeAllocHost(Call& call) {
    const auto& p = call.parameters<cuMemAllocHost_v2_params>();
    writeAlloc(call, BufferKind::Pinned, outputOf(call, p.pp), p.bytesize);
}

void decodeHostAlloc(Call& call) {
    const auto& p = call.parameters<cuMemHostAlloc_params>();
    writeAlloc(call, BufferKind::Pinned, outputOf(call, p.pp), p.bytesize, p.Flags);
}

void decodeHostRegister(Call& call) {
    const auto& p = call.parameters<cuMemHostRegister_v2_params>();
    writeAlloc(call, BufferKind::Registered, asWord(p.p), p.bytesize, p.Flags);
}

// The call does not say how much it mapped. 0 when the driver does not either.
std::uint64_t importedBytes(std::uint64_t address) {
    if (address == 0 || !mayAskDriver() || g_driver.memGetAddressRange == nullptr) return 0;
    CUdeviceptr base = 0;
    std::size_t sizeBytes = 0;
    if (g_driver.memGetAddressRange(&base, &sizeBytes, address) != CUDA_SUCCESS) return 0;
    return base <= address && address - base < sizeBytes ? base + sizeBytes - address : 0;
}

void writeImport(Call& call, std::uint64_t address, std::uint64_t sizeBytes, std::uint64_t flags = 0) {
    // Without a size a page keeps the filter from throwing pointers to it away.
    if (address != 0 && sizeBytes == 0) g_hot.addressFilter.add(address, 1);
    writeAlloc(call, BufferKind::Ipc, address, sizeBytes, flags);
}
void decodeIpcOpen(Call& call) {
    const auto& p = call.parameters<cuIpcOpenMemHandle_v2_params>();
    const std::uint64_t address = outputOf(call, p.pdptr);
    writeImport(call, address, importedBytes(address), p.Flags);
    writeBytesShare(call, formats::ShareKind::MemoryImport, address, &p.handle, sizeof(p.handle));
}
void decodePoolImportPointer(Call& call) {
    const auto& p = call.parameters<cuMemPoolImportPointer_params>();
    const std::uint64_t address = outputOf(call, p.ptr_out);
    writeImport(call, address, importedBytes(address));
    writeBytesShare(call, formats::ShareKind::PointerImport, address, p.shareData, sizeof(*p.shareData));
}
void decodeExternalBuffer(Call& call) {
    const auto& p = call.parameters<cuExternalMemoryGetMappedBuffer_params>();
    const std::uint64_t sizeBytes = p.bufferDesc != nullptr ? p.bufferDesc->size : 0;
    writeImport(call, outputOf(call, p.devPtr), sizeBytes);
}

void decodeArray(Call& call) {
    const auto& p = call.parameters<cuArrayCreate_v2_params>();
    const std::uint64_t sizeBytes = p.pAllocateArray != nullptr ? arrayBytes(*p.pAllocateArray) : 0;
    writeAlloc(call, BufferKind::Array, outputOf(call, p.pHandle), sizeBytes);
}

void decodeArray3D(Call& call) {
    const auto& p = call.parameters<cuArray3DCreate_v2_params>();
    const CUDA_ARRAY3D_DESCRIPTOR* shape = p.pAllocateArray;
    writeAlloc(call, BufferKind::Array, outputOf(call, p.pHandle),
               shape != nullptr ? arrayBytes(*shape, 1) : 0, shape != nullptr ? shape->Flags : 0);
}

void decodeMipmappedArray(Call& call) {
    const auto& p = call.parameters<cuMipmappedArrayCreate_params>();
    const CUDA_ARRAY3D_DESCRIPTOR* shape = p.pMipmappedArrayDesc;
    writeAlloc(call, BufferKind::Array, outputOf(call, p.pHandle),
               shape != nullptr ? arrayBytes(*shape, p.numMipmapLevels) : 0,
               shape != nullptr ? shape->Flags : 0);
}

// Freeing a null pointer is legal and does nothing.
void beforeFree(ThreadState& thread, const CUpti_CallbackData& data) {
    const CUdeviceptr address = static_cast<const cuMemFree_v2_params*>(data.functionParams)->dptr;
    if (watchIsOn()) unwatchFreed(thread, address, false, nullptr);
    if (guardsAreOn()) checkBeforeFree(thread, address, false, nullptr);
    if (poisonIsOn()) poisonFreed(thread, address, false, nullptr);
    if (isWanted(Act::Delay)) beforeReuse(thread, address);
}
// The job learns the size that it asked for.
void decodeAddressRange(Call& call) {
    const auto& p = call.parameters<cuMemGetAddressRange_v2_params>();
    if (!call.succeeded() || !guardsAreOn() || p.pbase == nullptr || p.psize == nullptr) return;
    const std::uint64_t guardBytes = guardBytesAt(*p.pbase);
    if (guardBytes < *p.psize) *p.psize -= guardBytes;
}
void decodePointerAttribute(Call& call) {
    call.isRecorded = true;  // its error is an answer
    const auto& p = call.parameters<cuPointerGetAttribute_params>();
    if (!call.succeeded() || p.attribute != CU_POINTER_ATTRIBUTE_RANGE_SIZE || p.data == nullptr) return;
    CUdeviceptr base = 0;
    std::size_t sizeBytes = 0;
    if (!mayCallDriver() || g_driver.memGetAddressRange(&base, &sizeBytes, p.ptr) != CUDA_SUCCESS) return;
    const std::uint64_t guardBytes = guardBytesAt(base);
    if (guardBytes < sizeBytes) *static_cast<std::size_t*>(p.data) = sizeBytes - guardBytes;
}
void decodeFree(Call& call) {
    const auto& p = call.parameters<cuMemFree_v2_params>();
    if (p.dptr != 0) writeFree(call, FreeFamily::Device, p.dptr);
    if (isWanted(Act::Delay)) afterFree(call);
}
void decodeFreeHost(Call& call) {
    const auto& p = call.parameters<cuMemFreeHost_params>();
    if (p.p != nullptr) writeFree(call, FreeFamily::Host, asWord(p.p));
}
void decodeHostUnregister(Call& call) {
    writeFree(call, FreeFamily::Unregister, asWord(call.parameters<cuMemHostUnregister_params>().p));
}
void decodeArrayDestroy(Call& call) {
    writeFree(call, FreeFamily::Array, asWord(call.parameters<cuArrayDestroy_params>().hArray));
}
void decodeMipmappedArrayDestroy(Call& call) {
    writeFree(call, FreeFamily::Array,
              asWord(call.parameters<cuMipmappedArrayDestroy_params>().hMipmappedArray));
}
void decodeIpcClose(Call& call) {
    writeFree(call, FreeFamily::IpcClose, call.parameters<cuIpcCloseMemHandle_params>().dptr);
}

CallRule allocRule(Decoder decode) {
    return {.decode = decode, .takesStack = true};
}
CallRule freeRule(Decoder decode) {
    return {.decode = decode, .mutates = true, .takesStack = true};
}

}  // namespace

void registerMemoryCalls() {
    addCalls({VRAMSCOPE_ID(cuMemAlloc_v2)},
             {.decode = decodeAlloc, .beforeCall = enlarge<cuMemAlloc_v2_params>, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemAllocPitch_v2)}, allocRule(decodeAllocPitch));
    addCalls(
        {VRAMSCOPE_ID(cuMemAllocManaged)},
        {.decode = decodeAllocManaged, .beforeCall = enlarge<cuMemAllocManaged_params>, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemAllocHost), VRAMSCOPE_ID(cuMemAllocHost_v2)}, allocRule(decodeAllocHost));
    addCalls({VRAMSCOPE_ID(cuMemHostAlloc), VRAMSCOPE_ID(cuMemHostAlloc_v2)}, allocRule(decodeHostAlloc));
    addCalls({VRAMSCOPE_ID(cuMemHostRegister), VRAMSCOPE_ID(cuMemHostRegister_v2)},
             allocRule(decodeHostRegister));
    addCalls({VRAMSCOPE_ID(cuIpcOpenMemHandle), VRAMSCOPE_ID(cuIpcOpenMemHandle_v2)},
             allocRule(decodeIpcOpen));
    addCalls({VRAMSCOPE_ID(cuMemPoolImportPointer)}, allocRule(decodePoolImportPointer));
    addCalls({VRAMSCOPE_ID(cuExternalMemoryGetMappedBuffer)}, allocRule(decodeExternalBuffer));
    // Without a decoder: cuMemHostGetDevicePointer, since both addresses are one wherever addresses are
    // unified, and cuMemMapArrayAsync, since the tiles of a sparse array have no address.
    addCalls({VRAMSCOPE_ID(cuArrayCreate_v2)}, allocRule(decodeArray));
    addCalls({VRAMSCOPE_ID(cuArray3DCreate_v2)}, allocRule(decodeArray3D));
    addCalls({VRAMSCOPE_ID(cuMipmappedArrayCreate)}, allocRule(decodeMipmappedArray));

    addCalls({VRAMSCOPE_ID(cuMemFree_v2)},
             {.decode = decodeFree, .beforeCall = beforeFree, .mutates = true, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemFreeHost)}, freeRule(decodeFreeHost));
    addCalls({VRAMSCOPE_ID(cuMemHostUnregister)}, freeRule(decodeHostUnregister));
    addCalls({VRAMSCOPE_ID(cuArrayDestroy)}, freeRule(decodeArrayDestroy));
    addCalls({VRAMSCOPE_ID(cuMipmappedArrayDestroy)}, freeRule(decodeMipmappedArrayDestroy));
    addCalls({VRAMSCOPE_ID(cuIpcCloseMemHandle)}, freeRule(decodeIpcClose));

    // Frameworks ask for these all the time, so they are watched only where there is something to correct.
    if (g_collector.config.guardBytes == 0) return;
    addCalls({VRAMSCOPE_ID(cuMemGetAddressRange_v2)}, {.decode = decodeAddressRange});
    addCalls({VRAMSCOPE_ID(cuPointerGetAttribute)}, {.decode = decodePointerAttribute});
}

}  // namespace vramscope::collector
