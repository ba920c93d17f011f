// SPDX-License-Identifier: Apache-2.0
// A producer fills a buffer and gives it to the consumer, who then writes it. Right answer: nothing.
#include <thread>
#include <vramscope/annotate.h>

#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr std::size_t kBytes = kMiB;

}  // namespace

int main() {
    const Context context;
    for (int round = 0; round < 5; ++round) {
        CUdeviceptr batch = 0;
        std::thread([&] {
            const vramscope::TaskScope task("producer");
            context.use();
            batch = allocate(kBytes);
            CU(cuMemsetD8(batch, 1, kBytes));
            vramscope_give(reinterpret_cast<const void*>(batch), 0, "consumer");
        }).join();
        std::thread([&] {
            const vramscope::TaskScope task("consumer");
            context.use();
            CU(cuMemsetD8(batch, 2, kBytes));
            CU(cuMemFree(batch));
        }).join();
    }
    return 0;
}
