// SPDX-License-Identifier: Apache-2.0
// A loop that allocates five blocks an iteration and frees four: the 3 MiB block for the residual is
// forgotten. Right answer: leak.growth, 3 MiB an iteration, one stack, one block for each iteration.
#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr int kIterations = 24;

struct Iteration {
    CUdeviceptr input;
    CUdeviceptr weights;
    CUdeviceptr hidden;
    CUdeviceptr output;
    CUdeviceptr residual;
};

CUdeviceptr allocateResidual() {
    return allocate(3 * kMiB);
}

Iteration begin() {
    return {allocate(2 * kMiB), allocate(4 * kMiB), allocate(kMiB), allocate(64 << 10), allocateResidual()};
}

void end(const Iteration& iteration) {
    for (const CUdeviceptr address :
         {iteration.input, iteration.weights, iteration.hidden, iteration.output}) {
        CU(cuMemFree(address));
    }
}

}  // namespace

int main() {
    Context context;
    for (int i = 0; i < kIterations; ++i) {
        const Iteration iteration = begin();
        CU(cuMemsetD8(iteration.input, 1, 2 * kMiB));
        CU(cuMemcpyDtoD(iteration.residual, iteration.input, kMiB));
        CU(cuCtxSynchronize());
        end(iteration);
    }
    return 0;
}
