// SPDX-License-Identifier: Apache-2.0
// Five ordinary kernels: a streaming copy, a matrix product by hand, a reduction, a stencil and a histogram.
// Reads lines "KIND COUNT" and answers each with "cost NANOSECONDS", the mean of one launch over COUNT with a
// synchronisation every twenty. Ends with its input. tools/measure_cost.py drives it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <iostream>
#include <string>

namespace {

constexpr int kCount = 1 << 24;
constexpr int kWidth = 1024;
constexpr int kBins = 1024;
constexpr int kThreads = 256;
constexpr int kLaunchesPerSync = 20;
constexpr int kTile = 16;

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}
#define CHECK(call) check(call, #call)

__global__ void copyAll(const float* in, float* out, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

__global__ void multiply(const float* a, const float* b, float* out, int width) {
    __shared__ float tileA[kTile][kTile];
    __shared__ float tileB[kTile][kTile];
    const int row = blockIdx.y * kTile + threadIdx.y;
    const int column = blockIdx.x * kTile + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < width; first += kTile) {
        tileA[threadIdx.y][threadIdx.x] = a[row * width + first + threadIdx.x];
        tileB[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * width + column];
        __syncthreads();
        for (int k = 0; k < kTile; ++k)
            sum += tileA[threadIdx.y][k] * tileB[k][threadIdx.x];
        __syncthreads();
    }
    out[row * width + column] = sum;
}

__global__ void reduce(const float* in, float* out, int count) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

__global__ void smooth(const float* in, float* out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i + 1 < count) out[i] = 0.25F * in[i - 1] + 0.5F * in[i] + 0.25F * in[i + 1];
}

__global__ void histogram(const float* in, unsigned* bins, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[(i * 2654435761u >> 12) % kBins], in[i] >= 0 ? 1u : 2u);
}

template <typename Launch>
double nanosecondsOf(int count, const Launch& launch) {
    CHECK(cudaDeviceSynchronize());
    const auto start = std::chrono::steady_clock::now();
    for (int i = 1; i <= count; ++i) {
        launch();
        if (i % kLaunchesPerSync == 0) CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGetLastError());
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / count;
}

struct Buffers {
    float* in = nullptr;
    float* out = nullptr;
    unsigned* bins = nullptr;
};

double blockOf(const std::string& kind, int count, const Buffers& b) {
    constexpr int kBlocks = 1056;
    if (kind == "copy")
        return nanosecondsOf(count, [&] { copyAll<<<kBlocks, kThreads>>>(b.in, b.out, kCount); });
    if (kind == "product") {
        return nanosecondsOf(count, [&] {
            multiply<<<dim3(kWidth / kTile, kWidth / kTile), dim3(kTile, kTile)>>>(b.in, b.in, b.out, kWidth);
        });
    }
    if (kind == "reduction")
        return nanosecondsOf(count, [&] { reduce<<<kBlocks, kThreads>>>(b.in, b.out, kCount); });
    if (kind == "stencil")
        return nanosecondsOf(count, [&] { smooth<<<kCount / kThreads, kThreads>>>(b.in, b.out, kCount); });
    return nanosecondsOf(count, [&] { histogram<<<kBlocks, kThreads>>>(b.in, b.bins, kCount); });
}

}  // namespace

int main() {
    Buffers buffers;
    CHECK(cudaMalloc(&buffers.in, kCount * sizeof(float)));
    CHECK(cudaMalloc(&buffers.out, kCount * sizeof(float)));
    CHECK(cudaMalloc(&buffers.bins, kBins * sizeof(unsigned)));
    CHECK(cudaMemset(buffers.in, 0, kCount * sizeof(float)));
    CHECK(cudaMemset(buffers.bins, 0, kBins * sizeof(unsigned)));
    std::string kind;
    for (int count = 0; std::cin >> kind >> count;)
        std::printf("cost %.2f\n", blockOf(kind, count, buffers)), std::fflush(stdout);
    CHECK(cudaFree(buffers.in));
    CHECK(cudaFree(buffers.out));
    CHECK(cudaFree(buffers.bins));
    return 0;
}
