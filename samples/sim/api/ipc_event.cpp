// SPDX-License-Identifier: Apache-2.0
// Events of another process.
#include <cstring>
#include <unistd.h>

#include "samples/sim/entry_point.h"
#include "samples/sim/event.h"
#include "samples/sim/machine.h"

namespace vramscope::sim {
namespace {

constexpr uint64_t kHandleMagic = 0x6576656e742d2d31;

/// What the opaque bytes hold.
struct HandleContents {
    uint64_t magic;
    uint64_t serial;
    int64_t pid;
    uint32_t position;
};

}  // namespace

SIM_API(Context, cuIpcGetEventHandle, CUipcEventHandle* handle, CUevent eventHandle) {
    const Event* event = findEvent(eventHandle);
    if (!event) return badEvent(eventHandle);
    if (!handle || !event->shared) return CUDA_ERROR_INVALID_VALUE;
    const HandleContents contents{kHandleMagic, event->serial, getpid(),
                                  machine().file->positionOf(*event->shared)};
    std::memset(handle, 0, sizeof *handle);
    std::memcpy(handle->reserved, &contents, sizeof contents);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuIpcOpenEventHandle, CUevent* result, CUipcEventHandle handle) {
    HandleContents contents;
    std::memcpy(&contents, handle.reserved, sizeof contents);
    if (!result || contents.magic != kHandleMagic) return CUDA_ERROR_INVALID_VALUE;
    if (contents.pid == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
    SharedEvent* shared = machine().file->eventAt(contents.position);
    if (!shared || shared->serial != contents.serial) return CUDA_ERROR_INVALID_VALUE;
    Event* event = newEvent(*currentContext(), CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
    event->shared = shared;
    event->serial = contents.serial;
    event->imported = true;
    *result = handleOf(event);
    return CUDA_SUCCESS;
}

}  // namespace vramscope::sim
