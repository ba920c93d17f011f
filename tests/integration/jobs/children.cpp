// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "samples/programs/sample.h"
#include "tests/integration/jobs/job.h"

namespace vramscope::jobs {

using namespace vramscope::samples;

namespace {

/// Waits for the child; its exit code, or 100 + signal.
int codeOf(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

void allocateAndFree(int count) {
    for (int i = 0; i < count; ++i)
        CU(cuMemFree(allocate(kMiB)));
}

/// A driver that was initialised before the fork is dead in the child; the child must be able to find out and
/// live on.
int childAfterInit() {
    CUdeviceptr address = 0;
    return cuMemAlloc(&address, kMiB) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1;
}

}  // namespace

// The child runs this program anew and records by itself.
int forkAndExecute(const std::vector<std::string>& /*words*/) {
    const Context context;
    allocateAndFree(3);
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl("/proc/self/exe", "integration_job", "code", "4", nullptr);
        ::_exit(118);
    }
    const int code = codeOf(child);
    allocateAndFree(2);
    return code;
}

// Parent and child each initialise CUDA after the fork: two processes of their own.
// The same process becomes another program while it holds memory.
int executeAfterUse(const std::vector<std::string>& /*words*/) {
    const Context context;
    for (int i = 0; i < 3; ++i)
        allocate(1 << 20);
    ::execl("/proc/self/exe", "integration_job", "code", "6", nullptr);
    return 117;
}

int forkBeforeInit(const std::vector<std::string>& /*words*/) {
    const pid_t child = ::fork();
    const Context context;
    if (child == 0) {
        allocateAndFree(2);
        std::exit(0);
    }
    allocateAndFree(5);
    return codeOf(child);
}

// The child pins five blocks, keeps them and leaves with _exit(), as a worker of Python's multiprocessing
// does; it is waited for at once.
int forkAndPin(const std::vector<std::string>& words) {
    const pid_t child = ::fork();
    if (child == 0) {
        const Context context;
        for (int i = 0; i < 5; ++i) {
            void* block = nullptr;
            CU(cuMemAllocHost(&block, kMiB));
        }
        ::_exit(std::stoi(words.at(0)));
    }
    return codeOf(child) == std::stoi(words.at(0)) ? 0 : 1;
}

// Leaves a child behind that pins five blocks and runs on for longer than a recording waits for it.
int leaveChildBehind(const std::vector<std::string>& /*words*/) {
    int ready[2];
    if (::pipe(ready) != 0) return 116;
    if (::fork() == 0) {
        const Context context;
        for (int i = 0; i < 5; ++i) {
            void* block = nullptr;
            CU(cuMemAllocHost(&block, kMiB));
        }
        if (::write(ready[1], "x", 1) != 1) ::_exit(115);
        for (const int stream : {0, 1, 2})
            ::close(stream);
        ::sleep(6);
        ::_exit(0);
    }
    char word = 0;
    return ::read(ready[0], &word, 1) == 1 ? 0 : 1;
}

// The child leaves through the exit handlers that it has from its parent.
int forkAfterInit(const std::vector<std::string>& /*words*/) {
    const Context context;
    allocateAndFree(3);
    const pid_t child = ::fork();
    if (child == 0) std::exit(childAfterInit());
    const int code = codeOf(child);
    allocateAndFree(4);
    return code;
}

// Forks while other threads are inside calls: whatever the collector holds at that moment must not hang the
// child.
int forkInThread(const std::vector<std::string>& /*words*/) {
    const Context context;
    std::atomic<bool> stop{false};
    std::vector<std::thread> callers;
    for (int i = 0; i < 3; ++i) {
        callers.emplace_back([&] {
            context.use();
            while (!stop)
                allocateAndFree(1);
        });
    }
    int failures = 0;
    for (int i = 0; i < 20; ++i) {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(childAfterInit());
        if (codeOf(child) != 0) ++failures;
    }
    stop = true;
    for (std::thread& caller : callers)
        caller.join();
    return failures;
}

}  // namespace vramscope::jobs
