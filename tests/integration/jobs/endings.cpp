// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include "samples/programs/sample.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

/// Two blocks of 1 MiB, one of them freed.
void allocateTwoFreeOne() {
    const CUdeviceptr first = allocate(kMiB);
    allocate(kMiB);
    CU(cuMemFree(first));
}

volatile std::sig_atomic_t g_signal = 0;

}  // namespace

int endWithCode(const std::vector<std::string>& words) {
    const Context context;
    allocateTwoFreeOne();
    return std::stoi(words.at(0));
}

int endBySignal(const std::vector<std::string>& words) {
    const Context context;
    allocateTwoFreeOne();
    std::raise(std::stoi(words.at(0)));
    return 0;
}

int endAtOnce(const std::vector<std::string>& words) {
    const Context context;
    allocateTwoFreeOne();
    ::_exit(std::stoi(words.at(0)));
}

int endByAbort(const std::vector<std::string>& /*words*/) {
    const Context context;
    allocateTwoFreeOne();
    std::abort();
}

int endByException(const std::vector<std::string>& /*words*/) {
    const Context context;
    allocateTwoFreeOne();
    throw std::runtime_error("nobody catches this");
}

// The main thread leaves while others are in the middle of calls: exit handlers run beside callbacks.
int endWhileOthersCall(const std::vector<std::string>& words) {
    const Context context;
    for (int i = 0; i < 4; ++i) {
        std::thread([&context] {
            context.use();
            // Once the driver has shut down its answer is an error, which a thread that nobody waits for must
            // bear.
            for (CUdeviceptr block = 0;;) {
                if (cuMemAlloc(&block, 64 << 10) == CUDA_SUCCESS) CU_UNREAD(cuMemFree(block));
            }
        }).detach();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::exit(std::stoi(words.at(0)));
}

// Says "ready", waits for the signal, cleans up and leaves with 7.
int endOnSignal(const std::vector<std::string>& words) {
    const int number = std::stoi(words.at(0));
    std::signal(number, [](int received) { g_signal = received; });
    const Context context;
    const CUdeviceptr block = allocate(kMiB);
    std::printf("ready\n");
    std::fflush(stdout);
    while (g_signal == 0)
        ::usleep(1000);
    CU(cuMemFree(block));
    return g_signal == number ? 7 : 1;
}

}  // namespace vramscope::jobs
