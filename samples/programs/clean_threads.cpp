// SPDX-License-Identifier: Apache-2.0
// An ordinary job with eight threads that share a context; each allocates, fills, checks and frees blocks of
// its own, and some blocks are freed by another thread than the one that made them. Right answer: nothing.
#include <mutex>
#include <thread>
#include <vector>

#include "samples/programs/sample.h"

using namespace vramscope::samples;

namespace {

constexpr int kThreads = 8;
constexpr int kRounds = 40;
constexpr std::size_t kBytes = 256 << 10;

std::mutex g_mutex;
std::vector<CUdeviceptr> g_handedOver;

void handOver(CUdeviceptr block) {
    const std::lock_guard guard(g_mutex);
    g_handedOver.push_back(block);
}

void work(const Context& context, unsigned char value) {
    context.use();
    for (int round = 0; round < kRounds; ++round) {
        const CUdeviceptr block = allocate(kBytes);
        CU(cuMemsetD8(block, value, kBytes));
        unsigned char seen = 0;
        CU(cuMemcpyDtoH(&seen, block + kBytes - 1, 1));
        if (seen != value) std::_Exit(1);
        if (round % 4 == 3) {
            handOver(block);
        } else {
            CU(cuMemFree(block));
        }
    }
}

}  // namespace

int main() {
    Context context;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&, i] { work(context, static_cast<unsigned char>(i + 1)); });
    for (std::thread& thread : threads)
        thread.join();
    for (const CUdeviceptr block : g_handedOver)
        CU(cuMemFree(block));
    return 0;
}
