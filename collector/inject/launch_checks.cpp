// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/launch_checks.h"

#include <sys/mman.h>

#include "collector/inject/clock.h"

namespace vramscope::collector {

namespace {

constexpr std::uint32_t kRemembered = 65536;

/// The stream of the calling thread's latest look behind a launch, and when that was put there.
struct Latest {
    CUstream stream;
    std::uint64_t ticks;
};
constinit thread_local Latest t_latest{};

}  // namespace

bool LaunchChecks::start(bool remembers) {
    if (!remembers) return true;
    void* memory = ::mmap(nullptr, kRemembered * sizeof(LaunchCheck), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    m_checks = static_cast<LaunchCheck*>(memory);
    return true;
}

std::uint32_t LaunchChecks::nextNumber() {
    const std::uint32_t number = m_latest.fetch_add(1, std::memory_order_relaxed) + 1;
    return number != 0 ? number : m_latest.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::uint32_t LaunchChecks::nextBehind(const ThreadState& thread, const MadeLaunch& launch,
                                       std::uint64_t cleanTicks) {
    const std::uint32_t number = nextNumber();
    const std::uint64_t now = nowTicks();
    const std::uint64_t from = t_latest.stream == launch.stream ? t_latest.ticks : cleanTicks;
    LaunchCheck& check = m_checks[number % kRemembered];
    check.number.store(0, std::memory_order_relaxed);
    check.api = launch.api;
    check.launch = {launch.enterTicks, from, now, reinterpret_cast<std::uint64_t>(launch.stream),
                    thread.lane->tid,  {}};
    check.number.store(number, std::memory_order_release);
    t_latest = {launch.stream, now};
    return number;
}

const LaunchCheck* LaunchChecks::find(std::uint32_t number) const {
    if (m_checks == nullptr) return nullptr;
    const LaunchCheck& check = m_checks[number % kRemembered];
    return check.number.load(std::memory_order_acquire) == number ? &check : nullptr;
}

}  // namespace vramscope::collector
