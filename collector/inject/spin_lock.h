// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <ctime>

namespace vramscope::collector {

/// For options that act inside the job; the recording itself takes no lock. Held over calls of the Compute
/// Sanitizer API, so waiting for it sleeps.
class SpinLock {
public:
    void lock() {
        constexpr timespec kPause{0, 20'000};
        for (int i = 0; m_isTaken.test_and_set(std::memory_order_acquire); ++i) {
            if (i > 100) ::nanosleep(&kPause, nullptr);
        }
    }
    void unlock() { m_isTaken.clear(std::memory_order_release); }

private:
    std::atomic_flag m_isTaken = ATOMIC_FLAG_INIT;
};

class SpinGuard {
public:
    explicit SpinGuard(SpinLock& lock) : m_lock(lock) { m_lock.lock(); }
    ~SpinGuard() { m_lock.unlock(); }
    SpinGuard(const SpinGuard&) = delete;
    SpinGuard& operator=(const SpinGuard&) = delete;

private:
    SpinLock& m_lock;
};

}  // namespace vramscope::collector
