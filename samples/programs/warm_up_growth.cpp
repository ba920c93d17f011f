// SPDX-License-Identifier: Apache-2.0
// Memory grows for three warm-up steps (buffers of each new shape are kept and used again), then stays flat
// for twenty. Right answer: nothing that fails or warns: what grew once and is used to the end is no leak.
// The program frees it at its end.
#include <vector>

#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr int kWarmUpSteps = 3;
constexpr int kSteadySteps = 20;

class BufferCache {
public:
    CUdeviceptr forShape(std::size_t shape) {
        while (m_buffers.size() <= shape)
            m_buffers.push_back(allocate(16 * kMiB));
        return m_buffers[shape];
    }
    void clear() {
        for (const CUdeviceptr buffer : m_buffers)
            CU(cuMemFree(buffer));
        m_buffers.clear();
    }

private:
    std::vector<CUdeviceptr> m_buffers;
};

}  // namespace

int main() {
    Context context;
    BufferCache cache;
    for (std::size_t step = 0; step < kWarmUpSteps + kSteadySteps; ++step) {
        const CUdeviceptr scratch = allocate(2 * kMiB);
        CU(cuMemsetD8(cache.forShape(step % kWarmUpSteps), 1, kMiB));
        CU(cuCtxSynchronize());
        CU(cuMemFree(scratch));
    }
    cache.clear();
    return 0;
}
