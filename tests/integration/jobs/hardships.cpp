// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <barrier>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include "samples/programs/sample.h"
#include "tests/integration/jobs/churn_counters.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

ChurnCounters& countersIn(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR);
    void* page = ::mmap(nullptr, sizeof(ChurnCounters), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) std::exit(117);
    return *static_cast<ChurnCounters*>(page);
}

/// Everything but standard input, output and error and what the driver cannot do without.
std::vector<int> othersDescriptors() {
    const char* simulatedDevice = std::getenv("VRAMSCOPE_SIM_DEVICE");
    std::vector<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        const int file = std::stoi(entry.path().filename().string());
        std::error_code error;
        const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
        const bool isDrivers =
            target.rfind("/dev/nvidia", 0) == 0 || (simulatedDevice && target == simulatedDevice);
        if (file > 2 && !isDrivers) found.push_back(file);
    }
    return found;
}

void allocateAndFreeOnce(const Context& context) {
    context.use();
    CU(cuMemFree(allocate(kMiB)));
}

}  // namespace

// Allocates and frees, counting what returned. The second word is how many allocations; without it there is
// no end.
int churn(const std::vector<std::string>& words) {
    ChurnCounters& counters = countersIn(words.at(0));
    const std::uint64_t most = words.size() > 1 ? std::stoull(words.at(1)) : ~0ull;
    const Context context;
    CUdeviceptr kept[8] = {};
    for (std::uint64_t made = 0; made < most; ++made) {
        const std::size_t i = made % 8;
        if (kept[i] != 0) {
            CU(cuMemFree(kept[i]));
            counters.finishedFrees.fetch_add(1);
        }
        kept[i] = allocate((i + 1) * 4096);
        counters.finishedAllocations.fetch_add(1);
    }
    return 7;
}

// Threads that come and go: the first word is how many in all, never more than eight at once.
int threadsInTurn(const std::vector<std::string>& words) {
    const Context context;
    for (int left = std::stoi(words.at(0)); left > 0; left -= 8) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 8 && i < left; ++i)
            threads.emplace_back([&] { allocateAndFreeOnce(context); });
        for (std::thread& thread : threads)
            thread.join();
    }
    return 0;
}

// Threads that all live at the same time.
int threadsTogether(const std::vector<std::string>& words) {
    const Context context;
    const int count = std::stoi(words.at(0));
    std::barrier allCalled(count);
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&] {
            allocateAndFreeOnce(context);
            allCalled.arrive_and_wait();
            allocateAndFreeOnce(context);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    return 0;
}

int resetContext(const std::vector<std::string>& /*words*/) {
    Context context;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 4; ++i)
            allocate(kMiB);
        context.reset();
    }
    CU(cuMemFree(allocate(kMiB)));
    return 0;
}

// As daemons do after they start: descriptors that others opened in this process are closed too.
int closeOtherDescriptors(const std::vector<std::string>& /*words*/) {
    const Context context;
    CU(cuMemFree(allocate(kMiB)));
    for (const int file : othersDescriptors())
        ::close(file);
    // Files that are opened now get the numbers that were closed; nobody may write into them by mistake.
    const std::string path = "reused-descriptors";
    std::vector<int> reused;
    for (int i = 0; i < 32; ++i)
        reused.push_back(::open(path.c_str(), O_RDWR | O_CREAT, 0600));
    for (int i = 0; i < 100; ++i)
        CU(cuMemFree(allocate(kMiB)));
    for (const int file : reused) {
        if (::lseek(file, 0, SEEK_END) != 0) return 115;
    }
    return 0;
}

}  // namespace vramscope::jobs
