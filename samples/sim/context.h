// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>

#include "samples/sim/cuda_abi.h"
#include "samples/sim/physical_memory.h"

namespace vramscope::sim {

struct Stream;

/// A CUDA context. Never deleted, so that a stale handle is recognised instead of followed; guarded by the
/// driver's lock.
struct Context {
    CUdevice device = 0;
    uint32_t uid = 0;
    unsigned int flags = 0;
    bool primary = false;
    unsigned int primaryReferences = 0;
    bool alive = false;
    bool starting = false;  ///< being created or destroyed: not to be used by other threads
    CUresult stickyError = CUDA_SUCCESS;
    Pages ownMemory;  ///< what a context and its modules cost on a real device
    Stream* legacyStream = nullptr;
    std::set<Stream*> streams;  ///< all living ones, the implicit ones included
    uint32_t streamCount = 0;   ///< numbers streams, as CUPTI's ids do
};

/// What the driver answers to a handle whose object has been destroyed, whatever the object was (seen on an
/// H200).
inline constexpr CUresult kDestroyedHandle = CUDA_ERROR_CONTEXT_IS_DESTROYED;

inline CUcontext handleOf(Context* context) {
    return reinterpret_cast<CUcontext>(context);
}

/// The context behind a handle; null when the driver never gave that handle out. It may be dead.
Context* findContext(CUcontext handle);

/// The context on top of the calling thread's stack, dead or alive; null when there is none.
Context* currentContext();
void pushContext(Context* context);
/// Takes the top off the calling thread's stack; null when it was empty.
Context* popContext();
/// Replaces the top of the calling thread's stack; null removes it.
void setCurrentContext(Context* context);

/// Creates the context's memory and streams and raises CONTEXT_CREATED. CUDA_ERROR_OUT_OF_MEMORY when the
/// device is full. Called with the driver's lock, which is dropped for the callback.
CUresult startContext(Context& context);
/// Raises CONTEXT_DESTROY_STARTING, finishes the work, frees all that belongs to the context. Drops the lock
/// likewise.
void endContext(Context& context);

Context* newContext(CUdevice device, unsigned int flags, bool primary);
/// The primary context of a device; it exists always but is alive only while retained.
Context& primaryContext(CUdevice device);

}  // namespace vramscope::sim
