// SPDX-License-Identifier: Apache-2.0

// Objects that must be created and destroyed in pairs: events, textures, surfaces. Graphs: decode_graph.cpp.

#include <cuda.h>

#include "collector/inject/call_table.h"
#include "collector/inject/share_records.h"

namespace vramscope::collector {

namespace {

using formats::ObjectKind;
using formats::RecordType;

void writeObject(Call& call, RecordType type, ObjectKind kind, std::uint64_t handle, std::uint64_t flags = 0,
                 std::uint64_t aux = 0) {
    if (!call.succeeded() && type == RecordType::ObjectCreate) handle = 0;
    formats::Record* record = beginRecord(call, type, static_cast<std::uint8_t>(kind));
    if (record == nullptr) return;
    record->object = {handle, flags, aux, 0};
    endRecord(call, record);
}

void decodeEventCreate(Call& call) {
    const auto& p = call.parameters<cuEventCreate_params>();
    const bool isShared = (p.Flags & CU_EVENT_INTERPROCESS) != 0;
    writeObject(call, RecordType::ObjectCreate, ObjectKind::Event, outputOf(call, p.phEvent),
                isShared ? formats::kSharedEvent : 0);
}
void decodeImportedEvent(Call& call) {
    const auto& p = call.parameters<cuIpcOpenEventHandle_params>();
    const std::uint64_t event = outputOf(call, p.phEvent);
    writeObject(call, RecordType::ObjectCreate, ObjectKind::Event, event, formats::kSharedEvent);
    writeBytesShare(call, formats::ShareKind::EventImport, event, &p.handle, sizeof(p.handle));
}
void decodeTexture(Call& call) {
    const auto& p = call.parameters<cuTexObjectCreate_params>();
    std::uint64_t resource = 0;
    if (p.pResDesc != nullptr)
        resource = asWord(p.pResDesc->res.array.hArray);  // every member of the union begins with its handle
    writeObject(call, RecordType::ObjectCreate, ObjectKind::Texture, outputOf(call, p.pTexObject), 0,
                resource);
}
void decodeSurface(Call& call) {
    const auto& p = call.parameters<cuSurfObjectCreate_params>();
    const std::uint64_t resource = p.pResDesc != nullptr ? asWord(p.pResDesc->res.array.hArray) : 0;
    writeObject(call, RecordType::ObjectCreate, ObjectKind::Surface, outputOf(call, p.pSurfObject), 0,
                resource);
}
// The destroy calls take the handle and nothing else.
template <ObjectKind kKind>
void decodeDestroy(Call& call) {
    writeObject(call, RecordType::ObjectDestroy, kKind,
                *static_cast<const std::uint64_t*>(call.data.functionParams));
}

CallRule destroyRule(Decoder decode) {
    return {.decode = decode, .mutates = true, .takesStack = true};
}
CallRule objectRule(Decoder decode) {
    return {.decode = decode, .takesStack = true};
}

}  // namespace

void registerObjectCalls() {
    addCalls({VRAMSCOPE_ID(cuEventCreate)}, objectRule(decodeEventCreate));
    addCalls({VRAMSCOPE_ID(cuIpcOpenEventHandle)}, objectRule(decodeImportedEvent));
    addCalls({VRAMSCOPE_ID(cuEventDestroy), VRAMSCOPE_ID(cuEventDestroy_v2)},
             destroyRule(decodeDestroy<ObjectKind::Event>));
    addCalls({VRAMSCOPE_ID(cuTexObjectCreate)}, objectRule(decodeTexture));
    addCalls({VRAMSCOPE_ID(cuTexObjectDestroy)}, destroyRule(decodeDestroy<ObjectKind::Texture>));
    addCalls({VRAMSCOPE_ID(cuSurfObjectCreate)}, objectRule(decodeSurface));
    addCalls({VRAMSCOPE_ID(cuSurfObjectDestroy)}, destroyRule(decodeDestroy<ObjectKind::Surface>));
}

}  // namespace vramscope::collector
