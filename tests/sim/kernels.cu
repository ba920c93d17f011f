// SPDX-License-Identifier: Apache-2.0
// Kernels for the tests of the simulation; nvcc takes the same source.
#include "samples/sim/kernel.h"

VRAMSCOPE_DEVICE_VARIABLE(int, callCount);

VRAMSCOPE_KERNEL(fill, float* data, float value, int count) {
    const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) data[i] = value;
    if (i == 0) atomicAdd(&callCount, 1);
}

VRAMSCOPE_KERNEL(append, int* log, int* length, char tag, double ignored, short value) {
    if (ignored < 0) return;
    log[atomicAdd(length, 1)] = tag * 1000 + value;
}

/// Sums a block through shared memory: wrong unless every thread waits at the barriers.
VRAMSCOPE_KERNEL(sumBlocks, const int* values, int* sums) {
    __shared__ int partial[64];
    const int me = int(threadIdx.x);
    partial[me] = values[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int step = int(blockDim.x) / 2; step > 0; step /= 2) {
        if (me < step) partial[me] += partial[me + step];
        __syncthreads();
    }
    if (me == 0) sums[blockIdx.x] = partial[0];
}

VRAMSCOPE_KERNEL(reverse, int* values) {
    VRAMSCOPE_DYNAMIC_SHARED(int, copy);
    copy[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

VRAMSCOPE_KERNEL(noArguments) {}
