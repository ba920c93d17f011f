// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/context_events.h"

#include "collector/inject/call_stack.h"
#include "collector/inject/call_table.h"
#include "collector/inject/clock.h"
#include "collector/inject/cupti_api.h"
#include "collector/inject/device_announcement.h"
#include "collector/inject/driver_api.h"
#include "collector/inject/graph_events.h"
#include "collector/inject/guard.h"
#include "collector/inject/kernel_layouts.h"
#include "collector/inject/launch_route.h"
#include "collector/inject/perturb.h"
#include "collector/inject/poison.h"
#include "collector/inject/watch.h"

namespace vramscope::collector {

namespace {

void endActs(std::uint32_t contextUid) {
    endGuards(contextUid);
    endPoison(contextUid);
    endWatch(contextUid);
    endPerturbation(contextUid);
}

formats::Record* begin(ThreadState& thread, formats::RecordType type, std::uint8_t detail,
                       CUcontext context) {
    formats::Record* record = reserve(thread, 1);
    if (record == nullptr) return nullptr;
    std::uint32_t uid = 0;
    // Once the process exits CUPTI is not asked; the recorder knows the context by its handle, too.
    if (context != nullptr && mayCallDriver()) g_cupti.getContextId(context, &uid);
    record->header.type = static_cast<std::uint16_t>(type);
    record->header.slotCount = 1;
    record->header.detail = detail;
    record->header.enterTicks = record->header.exitTicks = nowTicks();
    record->header.contextUid = uid;
    return record;
}

void onContext(ThreadState& thread, formats::RecordType type, CUcontext context) {
    std::uint32_t device = 0;
    const bool known = mayCallDriver() && g_cupti.getDeviceId(context, &device) == CUPTI_SUCCESS;
    if (known) announceDevice(thread, static_cast<std::int32_t>(device));
    formats::Record* record = begin(thread, type, 0, context);
    const bool isNew = type == formats::RecordType::ContextCreate;
    noteContext(isNew, record != nullptr ? record->header.contextUid : 0);
    if (record == nullptr) return;
    if (!isNew) endActs(record->header.contextUid);
    record->context = {asWord(context),
                       known ? static_cast<std::int32_t>(device) : -1,
                       thread.creatingContext ? 0u : 1u,
                       {}};
    publish(thread, 1);
}

void onModule(ThreadState& thread, formats::GpuModuleEvent event, const CUpti_ResourceData& data) {
    const auto* module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
    // Before the record: taking a stack may write records of its own.
    const std::uint32_t stackId = event == formats::GpuModuleEvent::Load ? captureStack(thread) : 0;
    formats::Record* record =
        begin(thread, formats::RecordType::GpuModule, static_cast<std::uint8_t>(event), data.context);
    if (record == nullptr) return;
    record->header.stackId = stackId;
    if (module != nullptr)
        record->module = {module->moduleId, asWord(module->pCubin), module->cubinSize, 0, 0};
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
            onModule(thread, formats::GpuModuleEvent::Load, data);
            expectNewCode();
            break;
        case CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
            onModule(thread, formats::GpuModuleEvent::Unload, data);
            forgetKernelLayouts();
            break;
        case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED:
            announceCapturedNode(thread, data);
            break;
        default:
            break;
    }
}

}  // namespace vramscope::collector
