// SPDX-License-Identifier: Apache-2.0
#include "samples/sim/host_thread.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <pthread.h>
#include <signal.h>
#include <thread>
#include <utility>

#include "samples/sim/entry_point.h"
#include "samples/sim/machine.h"
#include "samples/sim/scheduler.h"

namespace vramscope::sim {
namespace {

using namespace std::chrono_literals;

// Long enough that a program that is merely slow between calls keeps its seeded order.
constexpr auto kIdleTime = 200ms;
constexpr auto kLongHostFunction = 10ms;

struct Task {
    std::function<void()> function;
    std::function<void()> done;
    bool finished = false;
};

struct HostThread {
    std::condition_variable changed;
    std::deque<std::shared_ptr<Task>> tasks;
    bool started = false;
    std::chrono::steady_clock::time_point lastActivity{};
};

HostThread& hostThread() {
    static HostThread* const instance = new HostThread;
    return *instance;
}

thread_local bool t_inHostFunction = false;
thread_local bool t_isHostThread = false;

void runTask(const std::shared_ptr<Task>& task) {
    {
        Unlocked unlocked;
        t_inHostFunction = true;
        task->function();
        t_inHostFunction = false;
    }
    task->done();
    task->finished = true;
    hostThread().changed.notify_all();
}

void hostThreadMain() {
    t_isHostThread = true;
    std::unique_lock<std::mutex>& lock = driverLock();
    lock = std::unique_lock(machine().lock);
    HostThread& self = hostThread();
    while (!machine().ended) {
        if (!self.tasks.empty()) {
            const auto task = self.tasks.front();
            self.tasks.pop_front();
            runTask(task);
            continue;
        }
        self.changed.wait_for(lock, kIdleTime / 4);
        if (std::chrono::steady_clock::now() - self.lastActivity > kIdleTime && self.tasks.empty())
            makeProgress();
    }
}

}  // namespace

bool inHostFunction() {
    return t_inHostFunction;
}

void startHostThread() {
    if (std::exchange(hostThread().started, true)) return;
    // The program's signals are not for this thread.
    sigset_t all, previous;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    std::thread(hostThreadMain).detach();
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

void runOnHostThread(std::function<void()> function, std::function<void()> done) {
    startHostThread();
    const auto task = std::make_shared<Task>(Task{std::move(function), std::move(done)});
    HostThread& self = hostThread();
    if (t_isHostThread) {
        // It moves work on by itself: nobody else would take the task.
        runTask(task);
        return;
    }
    self.tasks.push_back(task);
    self.changed.notify_all();
    self.changed.wait_for(driverLock(), kLongHostFunction, [&] { return task->finished; });
}

void waitForChange() {
    hostThread().changed.wait_for(driverLock(), 1ms);
}
void announceChange() {
    hostThread().changed.notify_all();
}
void noteActivity() {
    hostThread().lastActivity = std::chrono::steady_clock::now();
}

}  // namespace vramscope::sim
