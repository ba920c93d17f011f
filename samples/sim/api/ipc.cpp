// SPDX-License-Identifier: Apache-2.0
// Memory of another process, mapped here by the handle that it gave.
#include <cstring>
#include <map>
#include <unistd.h>
#include <utility>
#include <vector>

#include "samples/sim/allocations.h"
#include "samples/sim/context_objects.h"
#include "samples/sim/device_heap.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/machine.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {
namespace {

constexpr uint64_t kHandleMagic = 0x6d656d6f72792d31;

/// What the opaque bytes hold. They are the same each time for one allocation and never the same for two.
struct HandleContents {
    uint64_t magic;
    uint64_t id;
    int64_t pid;
};

/// One opened handle; opening it again gives the same address.
struct Import {
    Context* context;
    unsigned int references;
    uint64_t address;    ///< what the program got
    Allocation mapping;  ///< the whole pages behind it
};

std::map<std::pair<int64_t, uint64_t>, Import>& imports() {
    static auto* const instance = new std::map<std::pair<int64_t, uint64_t>, Import>;
    return *instance;
}

void close(Import& import) {
    allocations().remove(import.address);
    unmapFresh(import.mapping);
    import.mapping.pages = nullptr;
}

CUresult open(CUdeviceptr* address, const HandleContents& contents) {
    Import import{currentContext(), 1, 0, {}};
    Offer offer{};
    import.mapping.pages = machine().physical->takeUp(pid_t(contents.pid), contents.id, offer);
    if (!import.mapping.pages) return CUDA_ERROR_INVALID_VALUE;
    import.mapping.reservedBytes = import.mapping.pages->sizeBytes();
    import.mapping.address = machine().addresses->reserve(import.mapping.reservedBytes);
    if (!import.mapping.address) return CUDA_ERROR_MAP_FAILED;
    if (!machine().addresses->map(import.mapping.address, *machine().file, *import.mapping.pages, 0,
                                  import.mapping.pages->pages().size(), Protection::ReadWrite)) {
        machine().addresses->release(import.mapping.address, import.mapping.reservedBytes);
        return CUDA_ERROR_MAP_FAILED;
    }
    import.address = import.mapping.address + offer.offsetBytes;
    Allocation allocation;
    allocation.address = import.address;
    allocation.sizeBytes = offer.sizeBytes;
    allocation.kind = MemoryKind::IpcImport;
    allocation.context = import.context;
    allocation.device = CUdevice(offer.device);
    allocations().add(std::move(allocation));
    *address = import.address;
    imports().emplace(std::pair(contents.pid, contents.id), std::move(import));
    return CUDA_SUCCESS;
}

}  // namespace

SIM_API(Context, cuIpcGetMemHandle, CUipcMemHandle* handle, CUdeviceptr address) {
    Allocation* allocation = allocations().holding(address);
    if (!handle || !allocation || allocation->kind != MemoryKind::Device) return CUDA_ERROR_INVALID_VALUE;
    const Offer offer{uint32_t(allocation->device), allocation->address % kPageBytes, allocation->sizeBytes};
    if (!machine().file->offer(allocation->id, offer, allocation->pages->pages()))
        return CUDA_ERROR_OUT_OF_MEMORY;
    allocation->offered = true;
    const HandleContents contents{kHandleMagic, allocation->id, getpid()};
    std::memset(handle, 0, sizeof *handle);
    std::memcpy(handle->reserved, &contents, sizeof contents);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuIpcOpenMemHandle_v2, CUdeviceptr* address, CUipcMemHandle handle, unsigned int flags) {
    HandleContents contents;
    std::memcpy(&contents, handle.reserved, sizeof contents);
    if (!address || flags > CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS || contents.magic != kHandleMagic) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (contents.pid == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
    const auto known = imports().find(std::pair(contents.pid, contents.id));
    if (known == imports().end()) return open(address, contents);
    ++known->second.references;
    *address = known->second.address;
    return CUDA_SUCCESS;
}

SIM_API(Context, cuIpcCloseMemHandle, CUdeviceptr address) {
    for (auto import = imports().begin(); import != imports().end(); ++import) {
        if (import->second.address != address) continue;
        if (--import->second.references > 0) return CUDA_SUCCESS;
        finishContext(*currentContext());
        close(import->second);
        imports().erase(import);
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

void dropImports(Context& context) {
    for (auto import = imports().begin(); import != imports().end();) {
        if (import->second.context != &context) {
            ++import;
            continue;
        }
        close(import->second);
        import = imports().erase(import);
    }
}

}  // namespace vramscope::sim
