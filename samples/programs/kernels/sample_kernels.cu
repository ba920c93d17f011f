// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/kernel.h"

// The kernels of the samples: one source for nvcc and for the simulation.

VRAMSCOPE_KERNEL(fill, float* data, float value, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] = value;
}

VRAMSCOPE_KERNEL(scale, float* data, float factor, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] *= factor;
}

/// Moves each row down by one. Wrong: there is no room below the last one.
VRAMSCOPE_KERNEL(shiftRows, unsigned char* table, int rows, int rowBytes) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rowBytes) return;
    for (int row = rows; row > 0; --row)
        table[row * rowBytes + i] = table[(row - 1) * rowBytes + i];
}

/// out = a * b for square matrices, row by row.
VRAMSCOPE_KERNEL(multiply, const float* a, const float* b, float* out, int width) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * width) return;
    const int row = i / width;
    const int column = i % width;
    float sum = 0;
    for (int k = 0; k < width; ++k)
        sum += a[row * width + k] * b[k * width + column];
    out[i] = sum;
}

/// The same as fill, in memory that the kernel finds the way to by itself.
VRAMSCOPE_KERNEL(fillThrough, float* const* table, int index, float value, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) table[index][i] = value;
}
