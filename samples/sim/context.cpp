// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/context.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <unordered_set>
#include <vector>

#include "samples/sim/callback_dispatch.h"
#include "samples/sim/context_objects.h"
#include "samples/sim/device_heap.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/machine.h"
#include "samples/sim/pool.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {
namespace {

// A trivial program uses 528.8 MiB on an H200, 14 MiB more with a subscriber; the first is scaled down with
// the device.
constexpr uint64_t kContextBytes = 300ull << 20;
constexpr uint64_t kSubscriberBytes = 14ull << 20;
constexpr uint64_t kContextShare = 16;  ///< a context never costs more than this part of the device

struct Contexts {
    std::unordered_set<const void*> all;
    std::vector<Context*> primary;
    uint32_t lastUid = 0;
};

Contexts& contexts() {
    static Contexts* const instance = new Contexts;
    return *instance;
}

/// The contexts that a thread pushed. Without a destructor: destructors of a program's static objects still
/// call the driver when those of the thread's variables have run.
class ContextStack {
public:
    Context* top() const { return m_depth == 0 ? nullptr : m_contexts[m_depth - 1]; }
    void push(Context* context) {
        if (m_depth == m_contexts.size()) std::abort();
        m_contexts[m_depth++] = context;
    }
    void pop() {
        if (m_depth > 0) --m_depth;
    }

private:
    std::array<Context*, 256> m_contexts{};
    std::size_t m_depth = 0;
};

constinit thread_local ContextStack t_stack;

/// Streams that the program made and never destroyed end with their context.
void announceStreamsEnd(const Context& context) {
    std::vector<Stream*> made;
    for (Stream* stream : context.streams) {
        if (stream->alive && stream->explicitHandle) made.push_back(stream);
    }
    Unlocked unlocked;
    for (Stream* stream : made) {
        raiseResource(CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING,
                      reinterpret_cast<CUcontext>(stream->context), handleOf(stream));
    }
}

}  // namespace

Context* findContext(CUcontext handle) {
    return contexts().all.contains(handle) ? reinterpret_cast<Context*>(handle) : nullptr;
}

Context* currentContext() {
    return t_stack.top();
}
void pushContext(Context* context) {
    t_stack.push(context);
}

Context* popContext() {
    Context* top = currentContext();
    t_stack.pop();
    return top;
}

void setCurrentContext(Context* context) {
    t_stack.pop();
    if (context) t_stack.push(context);
}

Context* newContext(CUdevice device, unsigned int flags, bool primary) {
    auto* context = new Context;
    context->device = device;
    context->flags = flags;
    context->primary = primary;
    contexts().all.insert(context);
    return context;
}

Context& primaryContext(CUdevice device) {
    auto& primary = contexts().primary;
    for (CUdevice next = CUdevice(primary.size()); next <= device; ++next) {
        primary.push_back(newContext(next, CU_CTX_SCHED_AUTO, true));
    }
    return *primary[size_t(device)];
}

CUresult startContext(Context& context) {
    uint64_t bytes = std::min(kContextBytes, machine().file->memoryBytes() / kContextShare);
    if (hasSubscriber()) bytes += std::min(kSubscriberBytes, machine().file->memoryBytes() / kContextShare);
    context.ownMemory = takePages(context.device, bytes);
    if (!context.ownMemory) return CUDA_ERROR_OUT_OF_MEMORY;
    context.uid = ++contexts().lastUid;
    context.stickyError = CUDA_SUCCESS;
    context.legacyStream = newStream(context, CU_STREAM_DEFAULT, 0);
    context.legacyStream->legacy = true;
    context.alive = true;
    Unlocked unlocked;
    raiseResource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, handleOf(&context), nullptr);
    return CUDA_SUCCESS;
}

void endContext(Context& context) {
    finishContext(context);
    {
        Unlocked unlocked;
        raiseResource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, handleOf(&context), nullptr);
    }
    if (!context.alive) return;  // another thread was faster
    context.alive = false;
    abandonWork(context);
    dropContextObjects(context);
    announceStreamsEnd(context);
    dropHeap(context);
    if (context.primary) dropPoolMemory(context.device);
    for (Stream* stream : context.streams)
        stream->alive = false;
    context.streams.clear();
    context.legacyStream = nullptr;
    context.ownMemory = nullptr;
}

}  // namespace vramscope::sim
