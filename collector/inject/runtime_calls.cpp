// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/runtime_calls.h"

#include "collector/inject/call_stack.h"
#include "collector/inject/call_table.h"
#include "collector/inject/clock.h"
#include "collector/inject/cupti_api.h"

namespace vramscope::collector {

namespace {

struct RuntimeRule {
    CUpti_CallbackId id;
    bool isFree;
    formats::FreeFamily family;
};

// Every one of them takes the address or handle as its first parameter
// (generated_cuda_runtime_api_meta.h, 13.0).
constexpr RuntimeRule kRules[] = {
    {CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020, true, formats::FreeFamily::Device},
    {CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_v11020, true, formats::FreeFamily::Async},
    {CUPTI_RUNTIME_TRACE_CBID_cudaFreeAsync_ptsz_v11020, true, formats::FreeFamily::Async},
    {CUPTI_RUNTIME_TRACE_CBID_cudaFreeHost_v3020, true, formats::FreeFamily::Host},
    {CUPTI_RUNTIME_TRACE_CBID_cudaHostUnregister_v4000, true, formats::FreeFamily::Unregister},
    {CUPTI_RUNTIME_TRACE_CBID_cudaFreeArray_v3020, true, formats::FreeFamily::Array},
    {CUPTI_RUNTIME_TRACE_CBID_cudaFreeMipmappedArray_v5000, true, formats::FreeFamily::Array},
    {CUPTI_RUNTIME_TRACE_CBID_cudaIpcCloseMemHandle_v4010, true, formats::FreeFamily::IpcClose},
    {CUPTI_RUNTIME_TRACE_CBID_cudaStreamDestroy_v5050, false, {}},
    {CUPTI_RUNTIME_TRACE_CBID_cudaEventDestroy_v3020, false, {}},
    {CUPTI_RUNTIME_TRACE_CBID_cudaDestroyTextureObject_v5000, false, {}},
    {CUPTI_RUNTIME_TRACE_CBID_cudaDestroySurfaceObject_v5000, false, {}},
    {CUPTI_RUNTIME_TRACE_CBID_cudaGraphExecDestroy_v10000, false, {}},
    {CUPTI_RUNTIME_TRACE_CBID_cudaGraphDestroy_v10000, false, {}},
    {CUPTI_RUNTIME_TRACE_CBID_cudaMemPoolDestroy_v11020, false, {}},
};

const RuntimeRule* ruleOf(CUpti_CallbackId id) {
    for (const RuntimeRule& rule : kRules) {
        if (rule.id == id) return &rule;
    }
    return nullptr;
}

void recordRefusal(ThreadState& thread, const RuntimeRule& rule, const CUpti_CallbackData& data, int error) {
    const std::uint64_t now = nowTicks();
    Call call{thread,
              data,
              static_cast<std::uint16_t>(rule.id | formats::kRuntimeApi),
              static_cast<std::uint16_t>(error),
              *data.correlationData,
              now};
    call.stackId = captureStack(thread);
    const auto type = rule.isFree ? formats::RecordType::Free : formats::RecordType::CallFailed;
    formats::Record* record = beginRecord(call, type, static_cast<std::uint8_t>(rule.family));
    if (record == nullptr) return;
    record->words[0] = *static_cast<const std::uint64_t*>(data.functionParams);
    endRecord(call, record);
}

}  // namespace

void enableRuntimeCalls(CUpti_SubscriberHandle subscriber) {
    for (const RuntimeRule& rule : kRules) {
        g_cupti.enableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, rule.id);
    }
}

void onRuntimeCall(ThreadState& thread, CUpti_CallbackId id, const CUpti_CallbackData& data) {
    if (data.callbackSite == CUPTI_API_ENTER) {
        thread.runtimeApi = static_cast<std::uint16_t>(id);
        *data.correlationData = nowTicks();
        return;
    }
    // Cleared by the first driver call inside: then that call's record tells the story, and nothing is
    // counted twice.
    const bool reachedDriver = thread.runtimeApi != id;
    thread.runtimeApi = 0;
    const int error = *static_cast<const int*>(data.functionReturnValue);
    const RuntimeRule* rule = ruleOf(id);
    if (error == 0 || reachedDriver || rule == nullptr) return;
    recordRefusal(thread, *rule, data, error);
}

}  // namespace vramscope::collector
