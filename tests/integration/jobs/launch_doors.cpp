// SPDX-License-Identifier: Apache-2.0
// Launches through the pointers that a program has by linking, and through one that it asked for itself.
#include <chrono>
#include <dlfcn.h>
#include <thread>

#include "samples/programs/kernel_image.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

constexpr int kFloats = 256;

struct Fill {
    CUfunction function;
    CUdeviceptr data;
    float value = 1;
    int count = kFloats;

    template <typename Launch>
    void operator()(const Launch& launch) {
        void* arguments[] = {&data, &value, &count};
        CU(launch(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    }
};

CUcontext newContext() {
    CUcontext context = nullptr;
#if CUDA_VERSION >= 13000
    CU(cuCtxCreate(&context, nullptr, 0, 0));
#else
    CU(cuCtxCreate(&context, 0, 0));
#endif
    return context;
}

}  // namespace

// Words: threads, launches of each. They launch while contexts come and go, which changes the way launches
// take.
int launchWhileContextsChange(const std::vector<std::string>& words) {
    const int launches = std::stoi(words.at(1));
    const Context context;
    const Kernels kernels;
    std::vector<std::thread> threads;
    for (int i = 0; i < std::stoi(words.at(0)); ++i) {
        threads.emplace_back([&] {
            context.use();
            Fill fill{kernels.find("fill"), allocate(kFloats * sizeof(float))};
            for (int launch = 0; launch < launches; ++launch)
                fill(cuLaunchKernel);
            CU(cuCtxSynchronize());
            CU(cuMemFree(fill.data));
        });
    }
    for (int i = 0; i < 10; ++i) {
        CUcontext other = newContext();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        CU(cuCtxDestroy(other));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    for (std::thread& thread : threads)
        thread.join();
    return 0;
}

// Word: milliseconds. One kernel is launched through the linked function, another, in turn with it, through a
// pointer on the stack that was asked for late, when 1,000 launches had come the other way.
int launchThroughLateDoor(const std::vector<std::string>& words) {
    using Clock = std::chrono::steady_clock;
    const Context context;
    const Kernels kernels;
    Fill fill{kernels.find("fill"), allocate(kFloats * sizeof(float))};
    for (int i = 0; i < 1000; ++i)
        fill(cuLaunchKernel);
    auto* late = reinterpret_cast<decltype(&cuLaunchKernel)>(::dlsym(RTLD_DEFAULT, "cuLaunchKernel"));
    const Clock::time_point end = Clock::now() + std::chrono::milliseconds(std::stoi(words.at(0)));
    int lateLaunches = 0;
    for (; Clock::now() < end; ++lateLaunches) {
        fill.count = 2;
        fill(late);
        fill.count = kFloats;
        fill(cuLaunchKernel);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CU(cuCtxSynchronize());
    CU(cuMemFree(fill.data));
    std::printf("late %d\n", lateLaunches);
    return 0;
}

}  // namespace vramscope::jobs
