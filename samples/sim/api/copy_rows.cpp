// SPDX-License-Identifier: Apache-2.0
// Two- and three-dimensional copies between host memory, device memory and arrays, and batches of plain
// copies.
#include <cstring>
#include <memory>
#include <utility>

#include "samples/sim/array.h"
#include "samples/sim/entry_point.h"
#include "samples/sim/memory_access.h"
#include "samples/sim/node_work.h"

namespace vramscope::sim {
namespace {

/// One side of a copy: where its first byte lies and how far rows and layers are apart.
struct Place {
    bool valid = true;
    bool host = false;
    uint64_t address = 0;
    size_t rowPitch = 0;
    size_t layerPitch = 0;
};

struct Extent {
    size_t widthBytes;
    size_t rows;
    size_t layers;
};

/// The fields that both sides of every CUDA_MEMCPY struct have, under one name.
struct Side {
    CUmemorytype type;
    const void* host;
    CUdeviceptr device;
    CUarray array;
    size_t pitch;
    size_t height;
    size_t xBytes;
    size_t y;
    size_t z;
};

Place placeOf(const Side& side, const Extent& extent) {
    Place place;
    place.rowPitch = side.pitch ? side.pitch : extent.widthBytes;
    size_t rowsOfLayer = side.height ? side.height : extent.rows;
    if (side.type == CU_MEMORYTYPE_ARRAY) {
        const Array* array = findArray(side.array);
        if (!array) return {.valid = false};
        place.address = array->address;
        place.rowPitch = array->rowBytes;
        rowsOfLayer = array->rows;
    } else if (side.type == CU_MEMORYTYPE_HOST) {
        place.host = true;
        place.address = reinterpret_cast<uint64_t>(side.host);
    } else {
        place.address = side.device;
        place.host = side.type == CU_MEMORYTYPE_UNIFIED && isPageable(side.device);
    }
    place.layerPitch = place.rowPitch * rowsOfLayer;
    place.valid = place.rowPitch >= side.xBytes + extent.widthBytes;
    place.address += side.z * place.layerPitch + side.y * place.rowPitch + side.xBytes;
    return place;
}

bool mayUse(const Place& place, const Extent& extent, Access access) {
    if (!place.valid) return false;
    if (place.host) return true;
    for (size_t layer = 0; layer < extent.layers; ++layer) {
        for (size_t row = 0; row < extent.rows; ++row) {
            const uint64_t address = place.address + layer * place.layerPitch + row * place.rowPitch;
            if (!mayAccess(address, extent.widthBytes, access)) return false;
        }
    }
    return true;
}

/// The work of a copy; `pageable` tells whether host memory that the device cannot reach takes part.
CUresult prepareRows(const Side& toSide, const Side& fromSide, const Extent& extent, Work& work,
                     bool& pageable) {
    const Place to = placeOf(toSide, extent);
    const Place from = placeOf(fromSide, extent);
    if (!mayUse(to, extent, Access::Write) || !mayUse(from, extent, Access::Read))
        return CUDA_ERROR_INVALID_VALUE;
    pageable = (to.host && isPageable(to.address)) || (from.host && isPageable(from.address));
    work = deviceWork(CU_GRAPH_NODE_TYPE_MEMCPY, [to, from, extent] {
        for (size_t layer = 0; layer < extent.layers; ++layer) {
            for (size_t row = 0; row < extent.rows; ++row) {
                std::memmove(bytesAt(to.address + layer * to.layerPitch + row * to.rowPitch),
                             bytesAt(from.address + layer * from.layerPitch + row * from.rowPitch),
                             extent.widthBytes);
            }
        }
    });
    return CUDA_SUCCESS;
}

CUresult copyRows(const Side& to, const Side& from, const Extent& extent, CUstream stream, bool blocking) {
    if (!extent.widthBytes || !extent.rows || !extent.layers) return CUDA_SUCCESS;
    Work work;
    bool pageable = false;
    if (const CUresult result = prepareRows(to, from, extent, work, pageable); result != CUDA_SUCCESS)
        return result;
    // With pageable host memory the driver copies before it returns.
    return submit(stream, std::move(work), blocking || pageable);
}

CUresult copy2D(const CUDA_MEMCPY2D* c, CUstream stream, bool blocking) {
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    return copyRows(
        {c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstPitch, 0, c->dstXInBytes, c->dstY, 0},
        {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcPitch, 0, c->srcXInBytes, c->srcY, 0},
        {c->WidthInBytes, c->Height, 1}, stream, blocking);
}

template <typename Copy3D>
Side targetOf(const Copy3D& c) {
    return {c.dstMemoryType, c.dstHost,     c.dstDevice, c.dstArray, c.dstPitch,
            c.dstHeight,     c.dstXInBytes, c.dstY,      c.dstZ};
}

template <typename Copy3D>
Side sourceOf(const Copy3D& c) {
    return {c.srcMemoryType, c.srcHost,     c.srcDevice, c.srcArray, c.srcPitch,
            c.srcHeight,     c.srcXInBytes, c.srcY,      c.srcZ};
}

template <typename Copy3D>
CUresult copy3D(const Copy3D* c, CUstream stream, bool blocking) {
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    return copyRows(targetOf(*c), sourceOf(*c), {c->WidthInBytes, c->Height, c->Depth}, stream, blocking);
}

Side flatSide(CUmemorytype type, const void* host, CUdeviceptr device, CUarray array, size_t offset) {
    return {type, host, device, array, 0, 0, offset, 0, 0};
}
Side deviceSide(CUdeviceptr address) {
    return flatSide(CU_MEMORYTYPE_DEVICE, nullptr, address, nullptr, 0);
}
Side hostSide(const void* host) {
    return flatSide(CU_MEMORYTYPE_HOST, host, 0, nullptr, 0);
}
Side arraySide(CUarray array, size_t offset) {
    return flatSide(CU_MEMORYTYPE_ARRAY, nullptr, 0, array, offset);
}

CUresult copyFlat(const Side& to, const Side& from, size_t sizeBytes, CUstream stream, bool blocking) {
    Side wideTo = to;
    Side wideFrom = from;
    if (to.type != CU_MEMORYTYPE_ARRAY) wideTo.pitch = sizeBytes;
    if (from.type != CU_MEMORYTYPE_ARRAY) wideFrom.pitch = sizeBytes;
    return copyRows(wideTo, wideFrom, {sizeBytes, 1, 1}, stream, blocking);
}

/// An operand between two pointers counts in elements of one byte.
Side sideOf(const CUmemcpy3DOperand& operand, const CUextent3D& extent) {
    if (operand.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        const CUoffset3D& offset = operand.op.array.offset;
        return {CU_MEMORYTYPE_ARRAY, nullptr, 0, operand.op.array.array, 0, 0, offset.x, offset.y, offset.z};
    }
    const auto& range = operand.op.ptr;
    return {
        CU_MEMORYTYPE_UNIFIED, nullptr, range.ptr, nullptr, range.rowLength ? range.rowLength : extent.width,
        range.layerHeight,     0,       0,         0};
}

CUresult copyBatch3D(const CUDA_MEMCPY3D_BATCH_OP* copies, size_t count, CUstream stream) {
    if (!copies || !count || !stream) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i) {
        const CUextent3D& extent = copies[i].extent;
        if (!extent.width || !extent.height || !extent.depth) return CUDA_ERROR_INVALID_VALUE;
        const CUresult result = copyRows(sideOf(copies[i].dst, extent), sideOf(copies[i].src, extent),
                                         {extent.width, extent.height, extent.depth}, stream, false);
        if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
}

CUresult copyBatch(CUdeviceptr* to, CUdeviceptr* from, const size_t* sizes, size_t count, CUstream stream) {
    if (!to || !from || !sizes || !count || !stream) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i) {
        Side target = deviceSide(to[i]);
        Side source = deviceSide(from[i]);
        target.type = CU_MEMORYTYPE_UNIFIED;
        source.type = CU_MEMORYTYPE_UNIFIED;
        const CUresult result = copyFlat(target, source, sizes[i], stream, false);
        if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
}

}  // namespace

CUresult makeCopy(const CUDA_MEMCPY3D& parameters, Work& work) {
    bool pageable = false;
    const Extent extent{parameters.WidthInBytes, parameters.Height, parameters.Depth};
    const CUresult result = prepareRows(targetOf(parameters), sourceOf(parameters), extent, work, pageable);
    if (result != CUDA_SUCCESS) return result;
    auto details = std::make_shared<NodeDetails>();
    details->copy = parameters;
    work.details = std::move(details);
    return CUDA_SUCCESS;
}

SIM_API(Context, cuMemcpy2D_v2, const CUDA_MEMCPY2D* copy) {
    return copy2D(copy, nullptr, true);
}
SIM_API_PER_THREAD(Context, cuMemcpy2D_v2, _ptds)
SIM_API(Context, cuMemcpy2DUnaligned_v2, const CUDA_MEMCPY2D* copy) {
    return copy2D(copy, nullptr, true);
}
SIM_API_PER_THREAD(Context, cuMemcpy2DUnaligned_v2, _ptds)
SIM_API(Context, cuMemcpy2DAsync_v2, const CUDA_MEMCPY2D* copy, CUstream stream) {
    return copy2D(copy, stream, false);
}
SIM_API_PER_THREAD(Context, cuMemcpy2DAsync_v2, _ptsz)
SIM_API(Context, cuMemcpy3D_v2, const CUDA_MEMCPY3D* copy) {
    return copy3D(copy, nullptr, true);
}
SIM_API_PER_THREAD(Context, cuMemcpy3D_v2, _ptds)
SIM_API(Context, cuMemcpy3DAsync_v2, const CUDA_MEMCPY3D* copy, CUstream stream) {
    return copy3D(copy, stream, false);
}
SIM_API_PER_THREAD(Context, cuMemcpy3DAsync_v2, _ptsz)
SIM_API(Context, cuMemcpy3DPeer, const CUDA_MEMCPY3D_PEER* copy) {
    return copy3D(copy, nullptr, true);
}
SIM_API_PER_THREAD(Context, cuMemcpy3DPeer, _ptds)
SIM_API(Context, cuMemcpy3DPeerAsync, const CUDA_MEMCPY3D_PEER* copy, CUstream stream) {
    return copy3D(copy, stream, false);
}
SIM_API_PER_THREAD(Context, cuMemcpy3DPeerAsync, _ptsz)

SIM_API(Context, cuMemcpyDtoA_v2, CUarray to, size_t offset, CUdeviceptr from, size_t sizeBytes) {
    return copyFlat(arraySide(to, offset), deviceSide(from), sizeBytes, nullptr, true);
}
SIM_API(Context, cuMemcpyAtoD_v2, CUdeviceptr to, CUarray from, size_t offset, size_t sizeBytes) {
    return copyFlat(deviceSide(to), arraySide(from, offset), sizeBytes, nullptr, true);
}
SIM_API(Context, cuMemcpyHtoA_v2, CUarray to, size_t offset, const void* from, size_t sizeBytes) {
    return copyFlat(arraySide(to, offset), hostSide(from), sizeBytes, nullptr, true);
}
SIM_API(Context, cuMemcpyAtoH_v2, void* to, CUarray from, size_t offset, size_t sizeBytes) {
    return copyFlat(hostSide(to), arraySide(from, offset), sizeBytes, nullptr, true);
}
SIM_API(Context, cuMemcpyHtoAAsync_v2, CUarray to, size_t offset, const void* from, size_t sizeBytes,
        CUstream stream) {
    return copyFlat(arraySide(to, offset), hostSide(from), sizeBytes, stream, false);
}
SIM_API(Context, cuMemcpyAtoHAsync_v2, void* to, CUarray from, size_t offset, size_t sizeBytes,
        CUstream stream) {
    return copyFlat(hostSide(to), arraySide(from, offset), sizeBytes, stream, false);
}

SIM_API(Context, cuMemcpyBatchAsync_v2, CUdeviceptr* to, CUdeviceptr* from, size_t* sizes, size_t count,
        CUmemcpyAttributes*, size_t*, size_t, CUstream stream) {
    return copyBatch(to, from, sizes, count, stream);
}
SIM_API_PER_THREAD(Context, cuMemcpyBatchAsync_v2, _ptsz)

SIM_API(Context, cuMemcpy3DBatchAsync_v2, size_t count, CUDA_MEMCPY3D_BATCH_OP* copies,
        unsigned long long flags, CUstream stream) {
    return flags ? CUDA_ERROR_INVALID_VALUE : copyBatch3D(copies, count, stream);
}
SIM_API_PER_THREAD(Context, cuMemcpy3DBatchAsync_v2, _ptsz)

}  // namespace vramscope::sim
