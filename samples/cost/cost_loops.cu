// SPDX-License-Identifier: Apache-2.0

// Loops that do one thing, to measure what a tool adds to it: launches with four pointers, cudaMalloc with
// cudaFree, and cudaMallocAsync with cudaFreeAsync. Prints one JSON line with the median cost of one
// operation in nanoseconds: the median over rounds of the mean in a round, so that a preempted round does not
// count.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

namespace {

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

__global__ void touch(float* a, const float* b, const float* c, float* d) {
    if (threadIdx.x == 0) a[blockIdx.x] = b[blockIdx.x] + c[blockIdx.x] + d[blockIdx.x];
}

template <typename Body>
double medianNs(int rounds, int perRound, Body body) {
    std::vector<double> means;
    for (int round = 0; round < rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < perRound; ++i)
            body();
        const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
        means.push_back(taken.count() / perRound);
        check(cudaDeviceSynchronize(), "synchronize");
    }
    std::nth_element(means.begin(), means.begin() + means.size() / 2, means.end());
    return means[means.size() / 2];
}

}  // namespace

int main() {
    float* buffers[4];
    for (float*& buffer : buffers)
        check(cudaMalloc(&buffer, 1 << 20), "cudaMalloc");
    cudaStream_t stream;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");

    // Few enough launches a round that the queue never fills: a full queue would measure the GPU.
    const double launchNs = medianNs(
        2000, 100, [&] { touch<<<1, 32, 0, stream>>>(buffers[0], buffers[1], buffers[2], buffers[3]); });
    const double mallocNs = medianNs(100, 50, [] {
        void* block = nullptr;
        check(cudaMalloc(&block, 4 << 20), "cudaMalloc");
        check(cudaFree(block), "cudaFree");
    });
    const double asyncNs = medianNs(500, 100, [&] {
        void* block = nullptr;
        check(cudaMallocAsync(&block, 1 << 20, stream), "cudaMallocAsync");
        check(cudaFreeAsync(block, stream), "cudaFreeAsync");
    });
    std::printf("{\"launch_ns\": %.1f, \"malloc_free_ns\": %.1f, \"async_ns\": %.1f}\n", launchNs, mallocNs,
                asyncNs);
    return 0;
}
