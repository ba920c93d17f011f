// SPDX-License-Identifier: Apache-2.0
// GAN-like: generator and discriminator mean to have a block of parameters each, but the second was mapped
// onto the physical memory of the first. The discriminator's update then changes the generator's parameters.
// Right answer: sharing.alias between the two, and corruption.overwrite of what the generator owns by the
// discriminator.
#include <vector>
#include <vramscope/annotate.h>

#include "samples/programs/kernel_image.h"

using namespace vramscope::samples;

namespace {

constexpr int kCount = 1 << 19;
constexpr std::size_t kBytes = kCount * sizeof(float);

CUmemAllocationProp deviceMemory(CUdevice device) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
    return properties;
}

CUdeviceptr mapParameters(CUdevice device, CUmemGenericAllocationHandle storage, const char* name) {
    CUdeviceptr address = 0;
    CU(cuMemAddressReserve(&address, kBytes, 0, 0, 0));
    CU(cuMemMap(address, kBytes, 0, storage, 0));
    CUmemAccessDesc access{deviceMemory(device).location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CU(cuMemSetAccess(address, kBytes, &access, 1));
    vramscope_name(reinterpret_cast<const void*>(address), kBytes, name);
    return address;
}

void unmapParameters(CUdeviceptr address) {
    CU(cuMemUnmap(address, kBytes));
    CU(cuMemAddressFree(address, kBytes));
}

}  // namespace

int main() {
    const Context context;
    const Kernels kernels;
    const CUmemAllocationProp properties = deviceMemory(context.device());
    CUmemGenericAllocationHandle storage = 0;
    const std::vector<float> initial(kCount, 1.0F);

    vramscope_task_push("generator");
    CU(cuMemCreate(&storage, kBytes, &properties, 0));
    const CUdeviceptr generator = mapParameters(context.device(), storage, "gen.fc.weight");
    CU(cuMemcpyHtoD(generator, initial.data(), kBytes));
    vramscope_task_pop();

    vramscope_task_push("discriminator");
    const CUdeviceptr discriminator = mapParameters(context.device(), storage, "disc.fc.weight");
    const CUdeviceptr update = allocate(kBytes);
    kernels.run("fill", nullptr, kCount, update, 0.5F, kCount);
    CU(cuMemcpyDtoD(discriminator, update, kBytes));
    CU(cuMemFree(update));
    vramscope_task_pop();

    float seen = 0;
    CU(cuMemcpyDtoH(&seen, generator, sizeof(seen)));
    unmapParameters(discriminator);
    unmapParameters(generator);
    CU(cuMemRelease(storage));
    return seen < 0.6F ? 0 : 1;
}
