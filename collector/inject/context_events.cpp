// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/context_events.h"

#include "collector/inject/call_table.h"
#include "collector/inject/clock.h"
#include "collector/inject/cupti_api.h"
#include "collector/inject/device_announcement.h"
#include "collector/inject/kernel_layouts.h"

namespace vramscope::collector {

namespace {

formats::Record* begin(ThreadState& thread, formats::RecordType type, std::uint8_t detail,
                       CUcontext context) {
    formats::Record* record = reserve(thread, 1);
    if (record == nullptr) return nullptr;
    std::uint32_t uid = 0;
    if (context != nullptr) g_cupti.getContextId(context, &uid);
    record->header.type = static_cast<std::uint16_t>(type);
    record->header.slotCount = 1;
    record->header.detail = detail;
    record->header.enterTicks = record->header.exitTicks = nowTicks();
    record->header.contextUid = uid;
    return record;
}

void onContext(ThreadState& thread, formats::RecordType type, CUcontext context) {
    std::uint32_t device = 0;
    const bool known = g_cupti.getDeviceId(context, &device) == CUPTI_SUCCESS;
    if (known) announceDevice(thread, static_cast<std::int32_t>(device));
    formats::Record* record = begin(thread, type, 0, context);
    if (record == nullptr) return;
    record->context = {asWord(context), known ? static_cast<std::int32_t>(device) : -1,
                       thread.creatingContext ? 0u : 1u, 0, 0};
    publish(thread, 1);
}

void onModule(ThreadState& thread, bool isLoad, const CUpti_ResourceData& data) {
    const auto* module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
    formats::Record* record = begin(thread, formats::RecordType::GpuModule, isLoad ? 1 : 0, data.context);
    if (record == nullptr) return;
    if (module != nullptr) record->module = {module->moduleId, 0, module->cubinSize, 0};
    publish(thread, 1);
}

}  // namespace

void onResource(ThreadState& thread, CUpti_CallbackId id, const CUpti_ResourceData& data) {
    switch (id) {
        case CUPTI_CBID_RESOURCE_CONTEXT_CREATED:
            onContext(thread, formats::RecordType::ContextCreate, data.context);
            break;
        case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
            onContext(thread, formats::RecordType::ContextDestroy, data.context);
            forgetKernelLayouts();
            break;
        case CUPTI_CBID_RESOURCE_MODULE_LOADED:
            onModule(thread, true, data);
            break;
        case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
            onModule(thread, false, data);
            forgetKernelLayouts();
            break;
        default:
            break;
    }
}

}  // namespace vramscope::collector
