// SPDX-License-Identifier: Apache-2.0

// Stream-ordered allocation and its pools.

#include <cuda.h>

#include "collector/inject/address_filter.h"
#include "collector/inject/call_table.h"
#include "collector/inject/captures.h"
#include "collector/inject/enlarged_call.h"
#include "collector/inject/exact.h"
#include "collector/inject/graph_sampler.h"
#include "collector/inject/poison.h"
#include "collector/inject/pool_sampler.h"
#include "collector/inject/share_records.h"
#include "collector/inject/watch.h"
#include "collector/inject/work_acts.h"

namespace vramscope::collector {

namespace {

using formats::BufferKind;
using formats::RecordType;

void writeAsyncAlloc(Call& call, std::uint64_t address, std::uint64_t sizeBytes, CUmemoryPool pool,
                     CUstream stream) {
    if (call.succeeded()) g_hot.addressFilter.add(address, sizeBytes);
    // On a capturing stream the call defines a graph node: the address is real, the memory is not there yet.
    const auto kind = isCapturing(call, stream) ? BufferKind::Graph : BufferKind::Async;
    if (kind == BufferKind::Graph && call.succeeded()) noteGraphMemory();
    if (kind == BufferKind::Async && call.succeeded()) exactMemoryAdded(address, sizeBytes);
    if (kind == BufferKind::Async && pool == nullptr && call.succeeded()) pool = currentDevicePool(call);
    formats::Record* record = beginRecord(call, RecordType::Alloc, static_cast<std::uint8_t>(kind));
    if (record == nullptr) return;
    record->alloc = {address, sizeBytes, asWord(stream), asWord(pool)};
    endRecord(call, record);
    if (kind != BufferKind::Async || (!guardsAreOn() && !poisonIsOn() && !watchIsOn())) return;
    const CUstream ordered = explicitStream(stream, g_driverCalls[call.api].isPerThread);
    if (poisonIsOn()) poisonNew(call, address, sizeBytes, true, ordered);
    if (guardsAreOn()) registerGuard(call, address, sizeBytes, true, ordered);
    if (watchIsOn()) watchNew(call, address, sizeBytes, true, ordered);
}

void beforeFreeAsync(ThreadState& thread, const CUpti_CallbackData& data) {
    if (!guardsAreOn() && !poisonIsOn() && !watchIsOn()) return;
    const auto& p = *static_cast<const cuMemFreeAsync_params*>(data.functionParams);
    const bool isPerThread = data.functionName != nullptr && isPerThreadName(data.functionName);
    const CUstream stream = explicitStream(p.hStream, isPerThread);
    if (watchIsOn()) unwatchFreed(thread, p.dptr, true, stream);
    if (guardsAreOn()) checkBeforeFree(thread, p.dptr, true, stream);
    if (poisonIsOn()) poisonFreed(thread, p.dptr, true, stream);
}

void decodeAllocAsync(Call& call) {
    const auto& p = call.parameters<cuMemAllocAsync_params>();
    writeAsyncAlloc(call, outputOf(call, p.dptr), sizeWithoutGuard(call, p.bytesize), nullptr, p.hStream);
}

void decodeAllocFromPool(Call& call) {
    const auto& p = call.parameters<cuMemAllocFromPoolAsync_params>();
    if (call.succeeded()) rememberPool(p.pool);
    writeAsyncAlloc(call, outputOf(call, p.dptr), sizeWithoutGuard(call, p.bytesize), p.pool, p.hStream);
}

void decodeFreeAsync(Call& call) {
    const auto& p = call.parameters<cuMemFreeAsync_params>();
    if (p.dptr == 0) return;
    const bool isCaptured = isCapturing(call, p.hStream);
    if (!isCaptured && call.succeeded()) exactMemoryRemoved(p.dptr, call.enterTicks);
    formats::Record* record =
        beginRecord(call, RecordType::Free, static_cast<std::uint8_t>(formats::FreeFamily::Async));
    if (record == nullptr) return;
    record->free = {p.dptr, asWord(p.hStream), isCaptured ? 1u : 0u, 0};
    endRecord(call, record);
}

void writePool(Call& call, RecordType type, const formats::PoolPayload& payload) {
    formats::Record* record = beginRecord(call, type);
    if (record == nullptr) return;
    record->pool = payload;
    endRecord(call, record);
}

void decodePoolCreate(Call& call) {
    const auto& p = call.parameters<cuMemPoolCreate_params>();
    const std::uint64_t pool = outputOf(call, p.pool);
    if (pool != 0) rememberPool(*p.pool);
    const bool onDevice = p.poolProps != nullptr && p.poolProps->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    writePool(call, RecordType::PoolCreate, {pool, 0, onDevice ? p.poolProps->location.id : -1, 0, 0});
}

// Its bytes are the exporter's, so it is never sampled.
void decodePoolImport(Call& call) {
    const auto& p = call.parameters<cuMemPoolImportFromShareableHandle_params>();
    const std::uint64_t pool = outputOf(call, p.pool_out);
    writePool(call, RecordType::PoolCreate, {pool, 0, -1, 0, 0});
    if (call.succeeded())
        writeShareableHandle(call, formats::ShareKind::PoolImport, pool, p.handleType, p.handle, false);
}

// Before the driver destroys it: a sampler on another thread must not ask about a pool that is going.
void beforePoolDestroy(ThreadState& /*thread*/, const CUpti_CallbackData& data) {
    forgetPool(static_cast<const cuMemPoolDestroy_params*>(data.functionParams)->pool);
}

void decodePoolDestroy(Call& call) {
    const auto& p = call.parameters<cuMemPoolDestroy_params>();
    writePool(call, RecordType::PoolDestroy, {asWord(p.pool), 0, -1, 0, 0});
}

void decodePoolTrim(Call& call) {
    const auto& p = call.parameters<cuMemPoolTrimTo_params>();
    if (call.succeeded()) rememberPool(p.pool);
    writePool(call, RecordType::PoolTrim, {asWord(p.pool), p.minBytesToKeep, -1, 0, 0});
    samplePools(call, PoolSampling::Now);
}

void decodePoolSetAttribute(Call& call) {
    const auto& p = call.parameters<cuMemPoolSetAttribute_params>();
    if (call.succeeded()) rememberPool(p.pool);
    // Attributes up to the opportunistic-reuse flags are int, those from the release threshold on are 64 bits
    // wide.
    std::uint64_t value = 0;
    if (p.value != nullptr) {
        value = p.attr >= CU_MEMPOOL_ATTR_RELEASE_THRESHOLD ? *static_cast<const std::uint64_t*>(p.value)
                                                            : *static_cast<const std::uint32_t*>(p.value);
    }
    writePool(call, RecordType::PoolAttribute,
              {asWord(p.pool), value, -1, static_cast<std::uint32_t>(p.attr), 0});
}

// A pool that the driver named for `device`, -1 for none: the device's own, or the one it uses now.
void writeNamedPool(Call& call, const CUmemoryPool* pool, CUdevice device, bool isDefault) {
    if (!call.succeeded() || pool == nullptr) return;
    rememberPool(*pool);
    writePool(call, RecordType::PoolDefault, {asWord(*pool), 0, device, isDefault ? 1u : 0u, 0});
}
CUdevice deviceOf(const CUmemLocation* location) {
    return location != nullptr && location->type == CU_MEM_LOCATION_TYPE_DEVICE ? location->id : -1;
}
void decodeDefaultPool(Call& call) {
    const auto& p = call.parameters<cuDeviceGetDefaultMemPool_params>();
    writeNamedPool(call, p.pool_out, p.dev, true);
}
void decodeDevicePool(Call& call) {
    const auto& p = call.parameters<cuDeviceGetMemPool_params>();
    writeNamedPool(call, p.pool, p.dev, false);
}
void decodeLocationDefaultPool(Call& call) {
    const auto& p = call.parameters<cuMemGetDefaultMemPool_params>();
    writeNamedPool(call, p.pool_out, deviceOf(p.location), true);
}
void decodeLocationPool(Call& call) {
    const auto& p = call.parameters<cuMemGetMemPool_params>();
    writeNamedPool(call, p.pool, deviceOf(p.location), false);
}

void writeChosenPool(Call& call, CUmemoryPool pool) {
    forgetDevicePools();
    if (call.succeeded()) rememberPool(pool);
}
void decodeSetDevicePool(Call& call) {
    writeChosenPool(call, call.parameters<cuDeviceSetMemPool_params>().pool);
}
void decodeSetLocationPool(Call& call) {
    writeChosenPool(call, call.parameters<cuMemSetMemPool_params>().pool);
}

}  // namespace

void registerPoolCalls() {
    addCalls({VRAMSCOPE_ID(cuMemAllocAsync), VRAMSCOPE_ID(cuMemAllocAsync_ptsz)},
             {.decode = decodeAllocAsync, .beforeCall = enlarge<cuMemAllocAsync_params>, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemAllocFromPoolAsync), VRAMSCOPE_ID(cuMemAllocFromPoolAsync_ptsz)},
             {.decode = decodeAllocFromPool,
              .beforeCall = enlarge<cuMemAllocFromPoolAsync_params>,
              .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemFreeAsync), VRAMSCOPE_ID(cuMemFreeAsync_ptsz)},
             {.decode = decodeFreeAsync, .beforeCall = beforeFreeAsync, .mutates = true, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemPoolCreate)}, {.decode = decodePoolCreate, .takesStack = true});
    addCalls(
        {VRAMSCOPE_ID(cuMemPoolDestroy)},
        {.decode = decodePoolDestroy, .beforeCall = beforePoolDestroy, .mutates = true, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemPoolTrimTo)}, {.decode = decodePoolTrim, .takesStack = true});
    addCalls({VRAMSCOPE_ID(cuMemPoolSetAttribute)}, {.decode = decodePoolSetAttribute});
    addCalls({VRAMSCOPE_ID(cuDeviceGetDefaultMemPool)}, {.decode = decodeDefaultPool});
    addCalls({VRAMSCOPE_ID(cuDeviceGetMemPool)}, {.decode = decodeDevicePool});
    addCalls({VRAMSCOPE_ID(cuMemGetDefaultMemPool)}, {.decode = decodeLocationDefaultPool});
    addCalls({VRAMSCOPE_ID(cuMemGetMemPool)}, {.decode = decodeLocationPool});
    addCalls({VRAMSCOPE_ID(cuDeviceSetMemPool)}, {.decode = decodeSetDevicePool});
    addCalls({VRAMSCOPE_ID(cuMemSetMemPool)}, {.decode = decodeSetLocationPool});
    addCalls({VRAMSCOPE_ID(cuMemPoolImportFromShareableHandle)},
             {.decode = decodePoolImport, .takesStack = true});
}

}  // namespace vramscope::collector
