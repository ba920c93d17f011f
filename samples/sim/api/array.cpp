// SPDX-License-Identifier: Apache-2.0
// Arrays and the texture and surface objects over them.
#include "samples/sim/array.h"

#include <map>
#include <unordered_map>
#include <variant>

#include "samples/sim/context_objects.h"
#include "samples/sim/device_heap.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {
namespace {

struct Texture {
    Context* context;
    CUDA_RESOURCE_DESC resource;
};

struct ArraysAndTextures {
    std::map<CUarray, Array> arrays;
    std::map<unsigned long long, Texture> textures;
    std::map<unsigned long long, Texture> surfaces;
    uint64_t lastArray = 0;
    unsigned long long lastObject = 0;
};

ArraysAndTextures& state() {
    static ArraysAndTextures* const instance = new ArraysAndTextures;
    return *instance;
}

size_t formatBytes(CUarray_format format) {
    switch (format) {
        case CU_AD_FORMAT_UNSIGNED_INT8:
        case CU_AD_FORMAT_SIGNED_INT8:
            return 1;
        case CU_AD_FORMAT_UNSIGNED_INT16:
        case CU_AD_FORMAT_SIGNED_INT16:
        case CU_AD_FORMAT_HALF:
            return 2;
        case CU_AD_FORMAT_UNSIGNED_INT32:
        case CU_AD_FORMAT_SIGNED_INT32:
        case CU_AD_FORMAT_FLOAT:
            return 4;
        default:
            return 0;
    }
}

CUDA_ARRAY3D_DESCRIPTOR flat(const CUDA_ARRAY_DESCRIPTOR& descriptor) {
    return {descriptor.Width, descriptor.Height, 0, descriptor.Format, descriptor.NumChannels, 0};
}

bool isUsable(const CUDA_RESOURCE_DESC* resource) {
    if (!resource) return false;
    if (resource->resType == CU_RESOURCE_TYPE_ARRAY) return findArray(resource->res.array.hArray);
    if (resource->resType == CU_RESOURCE_TYPE_LINEAR)
        return allocations().holding(resource->res.linear.devPtr);
    if (resource->resType == CU_RESOURCE_TYPE_PITCH2D)
        return allocations().holding(resource->res.pitch2D.devPtr);
    return false;
}

CUresult createObject(std::map<unsigned long long, Texture>& objects, unsigned long long* object,
                      const CUDA_RESOURCE_DESC* resource) {
    if (!object || !isUsable(resource)) return CUDA_ERROR_INVALID_VALUE;
    *object = ++state().lastObject;
    objects[*object] = {currentContext(), *resource};
    return CUDA_SUCCESS;
}

CUresult describe(const std::map<unsigned long long, Texture>& objects, unsigned long long object,
                  CUDA_RESOURCE_DESC* resource) {
    const auto found = objects.find(object);
    if (!resource || found == objects.end()) return CUDA_ERROR_INVALID_VALUE;
    *resource = found->second.resource;
    return CUDA_SUCCESS;
}

}  // namespace

const Array* findArray(CUarray handle) {
    const auto found = state().arrays.find(handle);
    return found == state().arrays.end() ? nullptr : &found->second;
}

CUresult makeArray(CUarray* handle, const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
    const size_t elementBytes = formatBytes(descriptor.Format) * descriptor.NumChannels;
    const bool channels =
        descriptor.NumChannels == 1 || descriptor.NumChannels == 2 || descriptor.NumChannels == 4;
    if (!handle || !elementBytes || !channels || !descriptor.Width) return CUDA_ERROR_INVALID_VALUE;
    Array array;
    array.descriptor = descriptor;
    array.rowBytes = descriptor.Width * elementBytes;
    array.rows = descriptor.Height ? descriptor.Height : 1;
    const size_t layers = descriptor.Depth ? descriptor.Depth : 1;
    Allocation* memory =
        heapOf(*currentContext()).allocate(array.rowBytes * array.rows * layers, MemoryKind::Array);
    if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
    array.address = memory->address;
    *handle = reinterpret_cast<CUarray>(state().lastArray += 0x100);
    state().arrays[*handle] = array;
    return CUDA_SUCCESS;
}

SIM_API(Context, cuArrayCreate_v2, CUarray* handle, const CUDA_ARRAY_DESCRIPTOR* descriptor) {
    return descriptor ? makeArray(handle, flat(*descriptor)) : CUDA_ERROR_INVALID_VALUE;
}

SIM_API(Context, cuArray3DCreate_v2, CUarray* handle, const CUDA_ARRAY3D_DESCRIPTOR* descriptor) {
    return descriptor ? makeArray(handle, *descriptor) : CUDA_ERROR_INVALID_VALUE;
}

SIM_API(Context, cuArrayGetDescriptor_v2, CUDA_ARRAY_DESCRIPTOR* descriptor, CUarray handle) {
    const Array* array = findArray(handle);
    if (!descriptor) return CUDA_ERROR_INVALID_VALUE;
    if (!array) return CUDA_ERROR_INVALID_HANDLE;
    *descriptor = {array->descriptor.Width, array->descriptor.Height, array->descriptor.Format,
                   array->descriptor.NumChannels};
    return CUDA_SUCCESS;
}

SIM_API(Context, cuArray3DGetDescriptor_v2, CUDA_ARRAY3D_DESCRIPTOR* descriptor, CUarray handle) {
    const Array* array = findArray(handle);
    if (!descriptor) return CUDA_ERROR_INVALID_VALUE;
    if (!array) return CUDA_ERROR_INVALID_HANDLE;
    *descriptor = array->descriptor;
    return CUDA_SUCCESS;
}

CUresult destroyArray(CUarray handle) {
    const bool known = handle && reinterpret_cast<uint64_t>(handle) <= state().lastArray;
    if (!findArray(handle)) return known ? kDestroyedHandle : CUDA_ERROR_INVALID_HANDLE;
    finishContext(*currentContext());
    const Array* array = findArray(handle);
    if (!array) return CUDA_ERROR_INVALID_HANDLE;
    const Allocation& memory = *allocations().at(array->address);
    heapOf(*memory.context).free(memory);
    state().arrays.erase(handle);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuArrayDestroy, CUarray handle) {
    return destroyArray(handle);
}

SIM_API(Context, cuTexObjectCreate, CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
        const CUDA_TEXTURE_DESC* description, const CUDA_RESOURCE_VIEW_DESC*) {
    return description ? createObject(state().textures, object, resource) : CUDA_ERROR_INVALID_VALUE;
}

/// The real driver does not notice a second destruction.
static CUresult destroyObject(std::map<unsigned long long, Texture>& objects, unsigned long long object) {
    objects.erase(object);
    return object && object <= state().lastObject ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIM_API(Context, cuTexObjectDestroy, CUtexObject object) {
    return destroyObject(state().textures, object);
}

SIM_API(Context, cuTexObjectGetResourceDesc, CUDA_RESOURCE_DESC* resource, CUtexObject object) {
    return describe(state().textures, object, resource);
}

SIM_API(Context, cuSurfObjectCreate, CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
    if (resource && resource->resType != CU_RESOURCE_TYPE_ARRAY) return CUDA_ERROR_INVALID_VALUE;
    return createObject(state().surfaces, object, resource);
}

SIM_API(Context, cuSurfObjectDestroy, CUsurfObject object) {
    return destroyObject(state().surfaces, object);
}

SIM_API(Context, cuSurfObjectGetResourceDesc, CUDA_RESOURCE_DESC* resource, CUsurfObject object) {
    return describe(state().surfaces, object, resource);
}

void dropTextures(Context& context) {
    const auto mine = [&](const auto& entry) { return entry.second.context == &context; };
    std::erase_if(state().textures, mine);
    std::erase_if(state().surfaces, mine);
    // Their memory goes with the context's heap.
    std::erase_if(state().arrays, [&](const auto& entry) {
        const Allocation* memory = allocations().at(entry.second.address);
        return !memory || memory->context == &context;
    });
}

}  // namespace vramscope::sim
