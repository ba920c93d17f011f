// SPDX-License-Identifier: Apache-2.0
// One-dimensional copies.
#include <cstring>
#include <memory>
#include <vector>

#include "samples/sim/entry_point.h"
#include "samples/sim/memory_access.h"
#include "samples/sim/node_work.h"

namespace vramscope::sim {
namespace {

enum class Side { Device, Host };  ///< what the call's name says about an address

uint64_t numberOf(const void* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}

struct Copy {
    uint64_t to;
    Side toSide;
    uint64_t from;
    Side fromSide;
    size_t sizeBytes;
};

bool isValid(const Copy& copy) {
    if (copy.toSide == Side::Device && !mayAccess(copy.to, copy.sizeBytes, Access::Write)) return false;
    return copy.fromSide == Side::Host || mayAccess(copy.from, copy.sizeBytes, Access::Read);
}

CUresult copyNow(const Copy& copy) {
    if (!isValid(copy)) return CUDA_ERROR_INVALID_VALUE;
    auto work = deviceWork(CU_GRAPH_NODE_TYPE_MEMCPY,
                           [copy] { std::memmove(bytesAt(copy.to), bytesAt(copy.from), copy.sizeBytes); });
    return submit(nullptr, std::move(work), true);
}

/// A captured copy: its host memory is read at each launch, whatever kind it is.
CUresult captureCopy(const Copy& copy, CUstream stream) {
    CUDA_MEMCPY3D parameters{};
    parameters.dstMemoryType = copy.toSide == Side::Host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    parameters.dstHost = bytesAt(copy.to);
    parameters.dstDevice = copy.to;
    parameters.srcMemoryType = copy.fromSide == Side::Host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    parameters.srcHost = bytesAt(copy.from);
    parameters.srcDevice = copy.from;
    parameters.dstPitch = copy.sizeBytes;
    parameters.srcPitch = copy.sizeBytes;
    parameters.WidthInBytes = copy.sizeBytes;
    parameters.Height = 1;
    parameters.Depth = 1;
    Work work;
    const CUresult result = makeCopy(parameters, work);
    return result == CUDA_SUCCESS ? submit(stream, std::move(work), false) : result;
}

CUresult copyLater(const Copy& copy, CUstream stream) {
    if (!isValid(copy)) return CUDA_ERROR_INVALID_VALUE;
    if (isCapturing(stream)) return captureCopy(copy, stream);
    // From pageable memory the driver takes a copy before it returns; into it, it returns when the data is
    // there.
    if (copy.sizeBytes && copy.fromSide == Side::Host && isPageable(copy.from)) {
        const char* source = bytesAt(copy.from);
        auto staged = std::make_shared<std::vector<char>>(source, source + copy.sizeBytes);
        auto work = deviceWork(CU_GRAPH_NODE_TYPE_MEMCPY, [copy, staged] {
            std::memcpy(bytesAt(copy.to), staged->data(), staged->size());
        });
        return submit(stream, std::move(work), false);
    }
    auto work = deviceWork(CU_GRAPH_NODE_TYPE_MEMCPY,
                           [copy] { std::memmove(bytesAt(copy.to), bytesAt(copy.from), copy.sizeBytes); });
    return submit(stream, std::move(work), copy.toSide == Side::Host && isPageable(copy.to));
}

/// For calls that take any unified address: host when the driver does not know it.
Side sideOf(uint64_t address) {
    return isPageable(address) ? Side::Host : Side::Device;
}

Copy unified(CUdeviceptr to, CUdeviceptr from, size_t sizeBytes) {
    return {to, sideOf(to), from, sideOf(from), sizeBytes};
}

}  // namespace

SIM_API(Context, cuMemcpyHtoD_v2, CUdeviceptr to, const void* from, size_t sizeBytes) {
    return copyNow({to, Side::Device, numberOf(from), Side::Host, sizeBytes});
}
SIM_API_PER_THREAD(Context, cuMemcpyHtoD_v2, _ptds)

SIM_API(Context, cuMemcpyDtoH_v2, void* to, CUdeviceptr from, size_t sizeBytes) {
    return copyNow({numberOf(to), Side::Host, from, Side::Device, sizeBytes});
}
SIM_API_PER_THREAD(Context, cuMemcpyDtoH_v2, _ptds)

SIM_API(Context, cuMemcpyDtoD_v2, CUdeviceptr to, CUdeviceptr from, size_t sizeBytes) {
    return copyNow({to, Side::Device, from, Side::Device, sizeBytes});
}
SIM_API_PER_THREAD(Context, cuMemcpyDtoD_v2, _ptds)

SIM_API(Context, cuMemcpy, CUdeviceptr to, CUdeviceptr from, size_t sizeBytes) {
    return copyNow(unified(to, from, sizeBytes));
}
SIM_API_PER_THREAD(Context, cuMemcpy, _ptds)

SIM_API(Context, cuMemcpyPeer, CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t sizeBytes) {
    return copyNow({to, Side::Device, from, Side::Device, sizeBytes});
}
SIM_API_PER_THREAD(Context, cuMemcpyPeer, _ptds)

SIM_API(Context, cuMemcpyHtoDAsync_v2, CUdeviceptr to, const void* from, size_t sizeBytes, CUstream stream) {
    return copyLater({to, Side::Device, numberOf(from), Side::Host, sizeBytes}, stream);
}
SIM_API_PER_THREAD(Context, cuMemcpyHtoDAsync_v2, _ptsz)

SIM_API(Context, cuMemcpyDtoHAsync_v2, void* to, CUdeviceptr from, size_t sizeBytes, CUstream stream) {
    return copyLater({numberOf(to), Side::Host, from, Side::Device, sizeBytes}, stream);
}
SIM_API_PER_THREAD(Context, cuMemcpyDtoHAsync_v2, _ptsz)

SIM_API(Context, cuMemcpyDtoDAsync_v2, CUdeviceptr to, CUdeviceptr from, size_t sizeBytes, CUstream stream) {
    return copyLater({to, Side::Device, from, Side::Device, sizeBytes}, stream);
}
SIM_API_PER_THREAD(Context, cuMemcpyDtoDAsync_v2, _ptsz)

SIM_API(Context, cuMemcpyAsync, CUdeviceptr to, CUdeviceptr from, size_t sizeBytes, CUstream stream) {
    return copyLater(unified(to, from, sizeBytes), stream);
}
SIM_API_PER_THREAD(Context, cuMemcpyAsync, _ptsz)

SIM_API(Context, cuMemcpyPeerAsync, CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t sizeBytes,
        CUstream stream) {
    return copyLater({to, Side::Device, from, Side::Device, sizeBytes}, stream);
}
SIM_API_PER_THREAD(Context, cuMemcpyPeerAsync, _ptsz)

}  // namespace vramscope::sim
