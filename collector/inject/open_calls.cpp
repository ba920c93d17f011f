// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/open_calls.h"

#include "collector/inject/sanitizer_abi.h"

namespace vramscope::collector {

namespace {

constexpr int kMostOpen = 16;

struct OpenCalls {
    OpenCall calls[kMostOpen];
    int count;
};

constinit thread_local OpenCalls t_open{};

}  // namespace

OpenCall* openCall(std::uint32_t domain, std::uint32_t id) {
    if (t_open.count == kMostOpen) return nullptr;
    OpenCall& call = t_open.calls[t_open.count++];
    call = {domain, id, 0, 0};
    return &call;
}

OpenCall* findOpenCall(std::uint32_t domain, std::uint32_t id) {
    for (int i = t_open.count - 1; i >= 0; --i) {
        OpenCall& call = t_open.calls[i];
        if (call.domain != domain || call.id != id) continue;
        t_open.count = i + 1;
        return &call;
    }
    return nullptr;
}

OpenCall* innermostDriverCall() {
    for (int i = t_open.count - 1; i >= 0; --i) {
        if (t_open.calls[i].domain == sanitizer::kDriverApi) return &t_open.calls[i];
    }
    return nullptr;
}

void closeCall(OpenCall& call) {
    t_open.count = static_cast<int>(&call - t_open.calls);
}

}  // namespace vramscope::collector
