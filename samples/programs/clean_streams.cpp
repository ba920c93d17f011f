// SPDX-License-Identifier: Apache-2.0
// An ordinary job on two streams: one copies the next batch in, the other computes on the last one, an event
// orders them. Right answer: nothing.
#include <array>

#include "samples/programs/kernel_image.h"
#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr int kElements = 1 << 12;
constexpr std::size_t kBytes = kElements * sizeof(float);
constexpr int kBatches = 8;

struct Slot {
    float* pinned = nullptr;
    CUdeviceptr device = 0;
    CUevent copied = nullptr;
    CUevent computed = nullptr;
};

Slot makeSlot() {
    Slot slot;
    void* host = nullptr;
    CU(cuMemAllocHost(&host, kBytes));
    slot.pinned = static_cast<float*>(host);
    slot.device = allocate(kBytes);
    CU(cuEventCreate(&slot.copied, CU_EVENT_DISABLE_TIMING));
    CU(cuEventCreate(&slot.computed, CU_EVENT_DISABLE_TIMING));
    return slot;
}

void destroy(const Slot& slot) {
    CU(cuEventDestroy(slot.copied));
    CU(cuEventDestroy(slot.computed));
    CU(cuMemFree(slot.device));
    CU(cuMemFreeHost(slot.pinned));
}

void submit(const Slot& slot, const Kernels& kernels, CUstream copies, CUstream kernelsStream, float value) {
    // The slot's last batch must be done before its memory is filled again, on the host and on the device.
    CU(cuEventSynchronize(slot.computed));
    for (int i = 0; i < kElements; ++i)
        slot.pinned[i] = value;
    CU(cuMemcpyHtoDAsync(slot.device, slot.pinned, kBytes, copies));
    CU(cuEventRecord(slot.copied, copies));
    CU(cuStreamWaitEvent(kernelsStream, slot.copied, 0));
    kernels.run("scale", kernelsStream, kElements, slot.device, 2.0f, kElements);
    CU(cuEventRecord(slot.computed, kernelsStream));
}

}  // namespace

int main() {
    Context context;
    const Kernels kernels;
    CUstream copies = nullptr;
    CUstream compute = nullptr;
    CU(cuStreamCreate(&copies, CU_STREAM_NON_BLOCKING));
    CU(cuStreamCreate(&compute, CU_STREAM_NON_BLOCKING));
    std::array<Slot, 2> slots{makeSlot(), makeSlot()};
    for (int batch = 0; batch < kBatches; ++batch) {
        submit(slots[static_cast<std::size_t>(batch % 2)], kernels, copies, compute,
               static_cast<float>(batch));
    }
    CU(cuStreamSynchronize(compute));
    float first = 0;
    CU(cuMemcpyDtoH(&first, slots[1].device, sizeof(first)));
    for (const Slot& slot : slots)
        destroy(slot);
    CU(cuStreamDestroy(copies));
    CU(cuStreamDestroy(compute));
    return first == 2.0f * (kBatches - 1) ? 0 : 1;
}
