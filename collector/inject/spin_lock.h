// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#include "formats/job_clock.h"

namespace vramscope::collector {

/// For options that act inside the job; the recording itself takes no lock. Held over calls of the Compute
/// Sanitizer API, so waiting for it sleeps.
///
/// No thread of the job may wait for it without an end: who holds it may be inside the driver, waiting for a
/// lock of the driver's that this thread holds, because its callback came from within a call.
class SpinLock {
public:
    /// Tries for `patienceNs`.
    bool lockWithin(std::uint64_t patienceNs) {
        constexpr int kSpins = 100;
        for (int i = 0; i < kSpins; ++i) {
            if (!m_isTaken.test_and_set(std::memory_order_acquire)) return true;
        }
        constexpr timespec kPause{0, 20'000};
        const std::uint64_t end = formats::monotonicNs() + patienceNs;
        while (m_isTaken.test_and_set(std::memory_order_acquire)) {
            if (formats::monotonicNs() >= end) return false;
            ::nanosleep(&kPause, nullptr);
        }
        return true;
    }
    void unlock() { m_isTaken.clear(std::memory_order_release); }

private:
    std::atomic_flag m_isTaken = ATOMIC_FLAG_INIT;
};

/// Holds a lock until the end of its scope, if it could be had within `patienceNs`.
class SpinGuard {
public:
    SpinGuard(SpinLock& lock, std::uint64_t patienceNs)
        : m_lock(lock), m_isHeld(lock.lockWithin(patienceNs)) {}
    ~SpinGuard() {
        if (m_isHeld) m_lock.unlock();
    }
    SpinGuard(const SpinGuard&) = delete;
    SpinGuard& operator=(const SpinGuard&) = delete;

    bool isHeld() const { return m_isHeld; }

private:
    SpinLock& m_lock;
    bool m_isHeld;
};

}  // namespace vramscope::collector
