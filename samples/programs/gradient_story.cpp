// SPDX-License-Identifier: Apache-2.0
// A training job that dies of its gradients, long after another task wrote into its weights. Both tasks have
// pieces of one segment of an allocator above CUDA; serving's scratch memory begins a little too early.
// Hundreds of launches later training looks at the sum of its weights and throws. Right answer:
// corruption.overwrite, proven, with both tasks, the weights by name, and how far it was from there to the
// end. Of the rest of the segment nobody said whose it is: nothing.
#include <stdexcept>
#include <sys/resource.h>
#include <vramscope/annotate.h>

#include "samples/programs/kernel_image.h"
#include "samples/programs/libraries/simpool.h"

using namespace vramscope::samples;

namespace {

constexpr int kWeights = 1 << 14;
constexpr int kScratch = 1 << 10;
constexpr int kOverlap = 64;
constexpr int kSteps = 250;
constexpr std::size_t kFloat = sizeof(float);

void serve(CUdeviceptr scratch, CUdeviceptr answers) {
    const vramscope::TaskScope task("serving");
    CU(cuMemcpyDtoD(scratch, answers, kScratch * kFloat));
    CU(cuCtxSynchronize());
}

void checkGradients(CUdeviceptr weights) {
    float last = 0;
    CU(cuMemcpyDtoH(&last, weights + (kWeights - 1) * kFloat, sizeof(last)));
    if (last > 1.0F) throw std::runtime_error("gradient computation failed: the loss is not a number");
}

void train(const Kernels& kernels, CUdeviceptr weights, CUdeviceptr gradients) {
    for (int step = 0; step < kSteps; ++step)
        kernels.run("scale", nullptr, kWeights, gradients, 0.5F, kWeights);
    CU(cuCtxSynchronize());
    checkGradients(weights);
}

CUdeviceptr makeAnswers(const Kernels& kernels) {
    const vramscope::TaskScope task("serving");
    const CUdeviceptr answers = simpoolAllocate(kScratch * kFloat);
    kernels.run("fill", nullptr, kScratch, answers, 9.0F, kScratch);
    return answers;
}

}  // namespace

int main() {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    const Context context;
    const Kernels kernels;
    const vramscope::TaskScope task("training");
    const CUdeviceptr weights = simpoolAllocate((kWeights + kScratch) * kFloat);
    vramscope_block(reinterpret_cast<const void*>(weights), kWeights * kFloat, "training.fc2.weight");
    const CUdeviceptr gradients = simpoolAllocate(kWeights * kFloat);
    CU(cuMemsetD32(weights, 0, kWeights));
    kernels.run("fill", nullptr, kWeights, gradients, 1.0F, kWeights);
    const CUdeviceptr answers = makeAnswers(kernels);
    CU(cuCtxSynchronize());
    serve(weights + (kWeights - kOverlap) * kFloat, answers);
    train(kernels, weights, gradients);
    return 0;
}
