// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/context_numbers.h"

#include <atomic>

namespace vramscope::collector {

namespace {

struct Place {
    std::atomic<CUcontext> context{nullptr};
    std::atomic<std::uint32_t> number{0};
};

constinit Place g_places[kMostContexts];
constinit std::atomic<std::uint32_t> g_lastNumber{0};

}  // namespace

void numberContext(CUcontext context) {
    for (Place& place : g_places) {
        CUcontext none = nullptr;
        if (place.context.load(std::memory_order_relaxed) != nullptr) continue;
        // Nobody asks for it before this returns: it is told of first here.
        if (!place.context.compare_exchange_strong(none, context)) continue;
        place.number.store(g_lastNumber.fetch_add(1) + 1, std::memory_order_release);
        return;
    }
}

std::uint32_t numberOfContext(CUcontext context) {
    if (context == nullptr) return 0;
    for (const Place& place : g_places) {
        if (place.context.load(std::memory_order_relaxed) == context)
            return place.number.load(std::memory_order_acquire);
    }
    return 0;
}

void forgetContext(CUcontext context) {
    for (Place& place : g_places) {
        if (place.context.load(std::memory_order_relaxed) != context) continue;
        place.number.store(0, std::memory_order_relaxed);
        place.context.store(nullptr, std::memory_order_release);
        return;
    }
}

}  // namespace vramscope::collector
