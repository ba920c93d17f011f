// SPDX-License-Identifier: Apache-2.0

// Virtual memory management: reserved ranges, physical handles, mappings.

#include <cuda.h>

#include "collector/inject/address_filter.h"
#include "collector/inject/call_table.h"
#include "collector/inject/exact.h"
#include "collector/inject/share_records.h"

namespace vramscope::collector {

namespace {

using formats::HandleOrigin;
using formats::RecordType;

void writeRange(Call& call, RecordType type, const formats::VmmRangePayload& payload) {
    formats::Record* record = beginRecord(call, type);
    if (record == nullptr) return;
    record->vmmRange = payload;
    endRecord(call, record);
}

void writeHandle(Call& call, RecordType type, const formats::VmmHandlePayload& payload,
                 HandleOrigin origin = HandleOrigin::Created) {
    formats::Record* record = beginRecord(call, type, static_cast<std::uint8_t>(origin));
    if (record == nullptr) return;
    record->vmmHandle = payload;
    endRecord(call, record);
}

void decodeReserve(Call& call) {
    const auto& p = call.parameters<cuMemAddressReserve_params>();
    writeRange(call, RecordType::VmmReserve, {outputOf(call, p.ptr), p.size, 0, 0});
}

void decodeAddressFree(Call& call) {
    const auto& p = call.parameters<cuMemAddressFree_params>();
    writeRange(call, RecordType::VmmAddressFree, {p.ptr, p.size, 0, 0});
}

void decodeCreate(Call& call) {
    const auto& p = call.parameters<cuMemCreate_params>();
    formats::VmmHandlePayload payload{outputOf(call, p.handle), p.size, -1, 0, 0};
    if (p.prop != nullptr) {
        if (p.prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE) payload.deviceOrdinal = p.prop->location.id;
        payload.handleTypes = static_cast<std::uint32_t>(p.prop->requestedHandleTypes);
    }
    writeHandle(call, RecordType::VmmCreate, payload);
}

// The size is the exporter's to know; the first mapping tells it.
void decodeImport(Call& call) {
    const auto& p = call.parameters<cuMemImportFromShareableHandle_params>();
    writeHandle(call, RecordType::VmmCreate,
                {outputOf(call, p.handle), 0, -1, static_cast<std::uint32_t>(p.shHandleType), 0},
                HandleOrigin::Imported);
    if (call.succeeded())
        writeShareableHandle(call, formats::ShareKind::HandleImport, outputOf(call, p.handle), p.shHandleType,
                             p.osHandle, false);
}

void decodeMulticastCreate(Call& call) {
    const auto& p = call.parameters<cuMulticastCreate_params>();
    const std::uint32_t types = p.prop != nullptr ? static_cast<std::uint32_t>(p.prop->handleTypes) : 0;
    writeHandle(call, RecordType::VmmCreate, {outputOf(call, p.mcHandle), 0, -1, types, 0},
                HandleOrigin::Multicast);
}

void decodeRelease(Call& call) {
    writeHandle(call, RecordType::VmmRelease, {call.parameters<cuMemRelease_params>().handle, 0, -1, 0, 0});
}

void decodeRetain(Call& call) {
    const auto& p = call.parameters<cuMemRetainAllocationHandle_params>();
    writeHandle(call, RecordType::VmmRetain, {outputOf(call, p.handle), 0, -1, 0, asWord(p.addr)});
}

void decodeMap(Call& call) {
    const auto& p = call.parameters<cuMemMap_params>();
    if (call.succeeded()) g_hot.addressFilter.add(p.ptr, p.size);
    if (call.succeeded()) exactMemoryAdded(p.ptr, p.size);
    writeRange(call, RecordType::VmmMap, {p.ptr, p.size, p.handle, p.offset});
}

void decodeUnmap(Call& call) {
    const auto& p = call.parameters<cuMemUnmap_params>();
    if (call.succeeded()) exactRangeRemoved(p.ptr, p.size, call.enterTicks);
    writeRange(call, RecordType::VmmUnmap, {p.ptr, p.size, 0, 0});
}

// A record for each place. Only the driver has checked how many there are, so nothing is read of a refused
// call.
void decodeSetAccess(Call& call) {
    const auto& p = call.parameters<cuMemSetAccess_params>();
    if (!call.succeeded() || p.desc == nullptr) return;
    for (std::size_t i = 0; i < p.count; ++i) {
        formats::Record* record = beginRecord(call, RecordType::VmmSetAccess);
        if (record == nullptr) return;
        const CUmemAccessDesc& place = p.desc[i];
        record->vmmAccess = {p.ptr,
                             p.size,
                             static_cast<std::uint32_t>(place.location.type),
                             place.location.id,
                             static_cast<std::uint32_t>(place.flags),
                             0};
        endRecord(call, record);
    }
}

}  // namespace

void registerVmmCalls() {
    addCalls({VRAMSCOPE_ID(cuMemAddressReserve)}, {.decode = decodeReserve, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemAddressFree)}, {.decode = decodeAddressFree, .mutates = true});
    addCalls({VRAMSCOPE_ID(cuMemCreate)}, {.decode = decodeCreate, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemImportFromShareableHandle)}, {.decode = decodeImport, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMulticastCreate)}, {.decode = decodeMulticastCreate, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemRelease)}, {.decode = decodeRelease, .mutates = true, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemRetainAllocationHandle)}, {.decode = decodeRetain, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemMap)}, {.decode = decodeMap, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemUnmap)}, {.decode = decodeUnmap, .mutates = true, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemSetAccess)}, {.decode = decodeSetAccess});
}

}  // namespace vramscope::collector
