// SPDX-License-Identifier: Apache-2.0

// Loops that do one thing, to measure what a tool adds to it. Reads lines "KIND COUNT" and answers each with
// "cost NANOSECONDS", the mean of one operation over COUNT. Kinds: launch (a kernel with four pointers),
// malloc (cudaMalloc and cudaFree), async (cudaMallocAsync and cudaFreeAsync). Ends with its input.
// tools/measure_cost.py drives one copy for each tool, block by block.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

namespace {

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

__global__ void touch(float* a, const float* b, const float* c, float* d) {
    if (threadIdx.x == 0) a[blockIdx.x] = b[blockIdx.x] + c[blockIdx.x] + d[blockIdx.x];
}

// Few enough operations between synchronisations that the queue never fills: a full one would measure the
// GPU.
constexpr int kPerRound = 100;

template <typename Body>
double meanNs(int count, Body body) {
    std::chrono::duration<double, std::nano> taken{};
    int done = 0;
    while (done < count) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < kPerRound; ++i)
            body();
        taken += std::chrono::steady_clock::now() - start;
        done += kPerRound;
        check(cudaDeviceSynchronize(), "synchronize");
    }
    return taken.count() / done;
}

class Loops {
public:
    Loops() {
        for (float*& buffer : m_buffers)
            check(cudaMalloc(&buffer, 1 << 20), "cudaMalloc");
        check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "stream");
    }

    double launch(int count) {
        return meanNs(count, [this] {
            touch<<<1, 32, 0, m_stream>>>(m_buffers[0], m_buffers[1], m_buffers[2], m_buffers[3]);
        });
    }

    double mallocFree(int count) {
        return meanNs(count, [] {
            void* block = nullptr;
            check(cudaMalloc(&block, 4 << 20), "cudaMalloc");
            check(cudaFree(block), "cudaFree");
        });
    }

    double mallocFreeAsync(int count) {
        return meanNs(count, [this] {
            void* block = nullptr;
            check(cudaMallocAsync(&block, 1 << 20, m_stream), "cudaMallocAsync");
            check(cudaFreeAsync(block, m_stream), "cudaFreeAsync");
        });
    }

private:
    float* m_buffers[4] = {};
    cudaStream_t m_stream = nullptr;
};

}  // namespace

int main() {
    Loops loops;
    char kind[16];
    int count = 0;
    while (std::scanf("%15s %d", kind, &count) == 2) {
        double ns = 0;
        if (std::strcmp(kind, "launch") == 0) ns = loops.launch(count);
        if (std::strcmp(kind, "malloc") == 0) ns = loops.mallocFree(count);
        if (std::strcmp(kind, "async") == 0) ns = loops.mallocFreeAsync(count);
        std::printf("cost %.2f\n", ns);
        std::fflush(stdout);
    }
    return 0;
}
