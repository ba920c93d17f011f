// SPDX-License-Identifier: Apache-2.0
// Physical memory that no address reaches any more: each round creates a handle, maps it, uses it, unmaps it
// and frees the address range, and forgets cuMemRelease(). The bytes stay on the device until the process
// ends. Right answer: leak.vmm-handle, one handle for each round, created by growArena().
#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr int kRounds = 6;
constexpr std::size_t kSizeBytes = 32 * kMiB;

CUmemAllocationProp deviceMemory(CUdevice device) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
    return properties;
}

CUdeviceptr growArena(CUdevice device) {
    const CUmemAllocationProp properties = deviceMemory(device);
    CUmemGenericAllocationHandle handle = 0;
    CU(cuMemCreate(&handle, kSizeBytes, &properties, 0));
    CUdeviceptr address = 0;
    CU(cuMemAddressReserve(&address, kSizeBytes, 0, 0, 0));
    CU(cuMemMap(address, kSizeBytes, 0, handle, 0));
    CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CU(cuMemSetAccess(address, kSizeBytes, &access, 1));
    return address;
}

void shrinkArena(CUdeviceptr address) {
    CU(cuMemUnmap(address, kSizeBytes));
    CU(cuMemAddressFree(address, kSizeBytes));
}

}  // namespace

int main() {
    Context context;
    for (int round = 0; round < kRounds; ++round) {
        const CUdeviceptr arena = growArena(context.device());
        CU(cuMemsetD8(arena, 1, kSizeBytes));
        CU(cuCtxSynchronize());
        shrinkArena(arena);
    }
    return 0;
}
