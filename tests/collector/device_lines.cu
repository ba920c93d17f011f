// SPDX-License-Identifier: Apache-2.0
// Kernels whose lines the test knows: it looks for the words in the comments.
__device__ __forceinline__ void put(float* data, int i) {
    data[i] = 3.0f;  // inlined
}
__device__ __noinline__ void putFar(float* data, int i) {
    data[i] = 4.0f;  // called
}
extern "C" __global__ void first(float* data, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) put(data, i);
}
extern "C" __global__ void second(float* data, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        putFar(data, i);
        data[i + count] = 5.0f;  // direct
    }
}
