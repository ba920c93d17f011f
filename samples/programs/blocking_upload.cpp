// SPDX-License-Identifier: Apache-2.0
// A batch is brought to the device by a copy that the host waits for, and then used on another stream, as a
// model does that moves its inputs with a blocking call. Right answer: nothing.
#include <array>

#include "samples/programs/kernel_image.h"
#include "samples/programs/stream_order.h"

using namespace vramscope::samples;

namespace {

constexpr int kElements = 1 << 12;
constexpr std::size_t kBytes = kElements * sizeof(float);

}  // namespace

int main() {
    Context context;
    const Kernels kernels;
    const Stream uploads;
    const Stream model;
    static std::array<float, kElements> batch;
    const Pinned result(kBytes);
    const CUdeviceptr device = allocate(kBytes);
    for (int i = 0; i < 4; ++i) {
        batch.fill(static_cast<float>(i));
        if (i % 2 == 0) {
            CU(cuMemcpyHtoD(device, batch.data(), kBytes));
        } else {
            CU(cuMemcpyHtoDAsync(device, batch.data(), kBytes, uploads));
            uploads.wait();
        }
        kernels.run("scale", model, kElements, device, 2.0f, kElements);
        CU(cuMemcpyDtoHAsync(result.bytes(), device, kBytes, model));
        model.wait();
    }
    CU(cuMemFree(device));
    return *static_cast<float*>(result.bytes()) == 6.0f ? 0 : 1;
}
