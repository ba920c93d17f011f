// SPDX-License-Identifier: Apache-2.0
// Setting memory, in rows of any pitch; the one-dimensional calls are one row.
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "samples/sim/entry_point.h"
#include "samples/sim/memory_access.h"
#include "samples/sim/node_work.h"

namespace vramscope::sim {
namespace {

template <typename T>
struct Rows {
    uint64_t address;
    size_t pitchBytes;
    T value;
    size_t width;  ///< in elements
    size_t height;
};

template <typename T>
CUresult prepare(const Rows<T>& rows, Work& work) {
    if (rows.address % sizeof(T) || rows.pitchBytes % sizeof(T)) return CUDA_ERROR_INVALID_VALUE;
    for (size_t row = 0; row < rows.height; ++row) {
        if (!mayAccess(rows.address + row * rows.pitchBytes, rows.width * sizeof(T), Access::Write)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    work = deviceWork(CU_GRAPH_NODE_TYPE_MEMSET, [rows] {
        for (size_t row = 0; row < rows.height; ++row) {
            char* to = bytesAt(rows.address + row * rows.pitchBytes);
            for (size_t i = 0; i < rows.width; ++i)
                std::memcpy(to + i * sizeof(T), &rows.value, sizeof(T));
        }
    });
    auto details = std::make_shared<NodeDetails>();
    details->set = {rows.address, rows.pitchBytes, rows.value, sizeof(T), rows.width, rows.height};
    work.details = std::move(details);
    return CUDA_SUCCESS;
}

template <typename T>
CUresult set(const Rows<T>& rows, CUstream stream, bool blocking) {
    Work work;
    const CUresult result = prepare(rows, work);
    return result == CUDA_SUCCESS ? submit(stream, std::move(work), blocking) : result;
}

}  // namespace

CUresult makeSet(const CUDA_MEMSET_NODE_PARAMS& p, Work& work) {
    switch (p.elementSize) {
        case 1:
            return prepare<unsigned char>(
                {p.dst, p.pitch, static_cast<unsigned char>(p.value), p.width, p.height}, work);
        case 2:
            return prepare<unsigned short>(
                {p.dst, p.pitch, static_cast<unsigned short>(p.value), p.width, p.height}, work);
        case 4:
            return prepare<unsigned int>({p.dst, p.pitch, p.value, p.width, p.height}, work);
        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
}

#define SIM_SET(letter, type)                                                                \
    SIM_API(Context, cuMemset##letter##_v2, CUdeviceptr address, type value, size_t count) { \
        return set<type>({address, 0, value, count, 1}, nullptr, true);                      \
    }                                                                                        \
    SIM_API_PER_THREAD(Context, cuMemset##letter##_v2, _ptds)                                \
    SIM_API(Context, cuMemset##letter##Async, CUdeviceptr address, type value, size_t count, \
            CUstream stream) {                                                               \
        return set<type>({address, 0, value, count, 1}, stream, false);                      \
    }                                                                                        \
    SIM_API_PER_THREAD(Context, cuMemset##letter##Async, _ptsz)

#define SIM_SET_2D(letter, type)                                                                           \
    SIM_API(Context, cuMemset##letter##_v2, CUdeviceptr address, size_t pitch, type value, size_t width,   \
            size_t height) {                                                                               \
        return set<type>({address, pitch, value, width, height}, nullptr, true);                           \
    }                                                                                                      \
    SIM_API_PER_THREAD(Context, cuMemset##letter##_v2, _ptds)                                              \
    SIM_API(Context, cuMemset##letter##Async, CUdeviceptr address, size_t pitch, type value, size_t width, \
            size_t height, CUstream stream) {                                                              \
        return set<type>({address, pitch, value, width, height}, stream, false);                           \
    }                                                                                                      \
    SIM_API_PER_THREAD(Context, cuMemset##letter##Async, _ptsz)

SIM_SET(D8, unsigned char)
SIM_SET(D16, unsigned short)
SIM_SET(D32, unsigned int)
SIM_SET_2D(D2D8, unsigned char)
SIM_SET_2D(D2D16, unsigned short)
SIM_SET_2D(D2D32, unsigned int)

}  // namespace vramscope::sim
