// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/memory_access.h"

#include <utility>

#include "samples/sim/capture.h"

namespace vramscope::sim {

bool mayAccess(uint64_t address, uint64_t sizeBytes, Access access) {
    if (!sizeBytes) return true;
    if (!allocations().covers(address, sizeBytes)) return false;
    const Allocation* allocation = allocations().holding(address);
    if (allocation->kind != MemoryKind::Mapping) return true;
    const unsigned int wanted =
        access == Access::Read ? CU_MEM_ACCESS_FLAGS_PROT_READ : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return (allocation->flags & wanted) == wanted;
}

bool isPageable(uint64_t address) {
    return !allocations().holding(address);
}

bool isCapturing(CUstream handle) {
    const Stream* stream = findStream(handle);
    return stream && stream->capture;
}

CUresult submit(CUstream handle, Work work, bool blocking) {
    Stream* stream = findStream(handle);
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->legacy) {
        if (const CUresult refused = checkLegacyAgainstCaptures(); refused != CUDA_SUCCESS) return refused;
    }
    const MarkPointer mark = enqueue(*stream, std::move(work));
    return blocking ? finish(mark, *stream->context) : CUDA_SUCCESS;
}

}  // namespace vramscope::sim
