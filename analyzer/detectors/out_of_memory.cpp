// SPDX-License-Identifier: Apache-2.0
#include "analyzer/detectors/out_of_memory.h"

#include <string>

namespace vramscope::detectors {
namespace {

constexpr std::int64_t kOutOfMemory = 2;  // the same in CUresult and cudaError

bool asksForHostMemory(std::string_view api) {
    return api.find("Host") != std::string_view::npos;
}

model::DeviceId deviceOf(const model::Capture& capture, const model::FailedCall& call) {
    if (const model::Context* context = capture.contexts.find(call.contextId)) return context->deviceId;
    return capture.devices.size() == 1 ? capture.devices.begin()->id : model::DeviceId();
}

const model::Buffer* nextAllocation(const model::Capture& capture, const model::FailedCall& call) {
    const model::Buffer* next = nullptr;
    for (const model::Buffer& b : capture.buffers) {
        const bool isSameThread =
            b.processId == call.processId && (call.threadId.isNone() || b.allocThreadId == call.threadId);
        if (!isSameThread || b.allocNs < call.exitNs) continue;
        if (model::isPinnedHostMemory(b.kind) != asksForHostMemory(call.api)) continue;
        if (!next || b.allocNs < next->allocNs) next = &b;
    }
    return next;
}

}  // namespace

std::vector<FailedRequest> failedRequests(const model::Capture& capture) {
    std::vector<FailedRequest> requests;
    for (const model::FailedCall& call : capture.failedCalls) {
        if (call.family != "alloc" || call.error != kOutOfMemory) continue;
        FailedRequest request;
        request.call = &call;
        request.isHostMemory = asksForHostMemory(call.api);
        if (!request.isHostMemory) request.deviceId = deviceOf(capture, call);
        const model::Buffer* next = nextAllocation(capture, call);
        if (next && next->sizeBytes >= call.sizeBytes) request.recoveredBy = next;
        requests.push_back(request);
    }
    return requests;
}

}  // namespace vramscope::detectors
