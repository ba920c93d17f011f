// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <ctime>

#include "collector/inject/driver_api.h"
#include "collector/inject/hot_data.h"

namespace vramscope::collector {

/// Threads in which we are launching, allocating or waiting on our own account.
extern constinit std::atomic<int> g_actsInProgress;

/// What we launch, allocate or wait for could end a stream capture of the job's, on any thread: a wait for
/// the context invalidates every capture in it. So such an act is made only inside a scope whose mayAct() is
/// true, and a capture does not begin before it is over. Acts are short; while no guards are on there are
/// none.
class ActScope {
public:
    ActScope() {
        // Against waitForActs(): one of the two sees the other.
        g_actsInProgress.fetch_add(1, std::memory_order_seq_cst);
        m_mayAct = mayCallDriver() && g_hot.openCaptures.load(std::memory_order_seq_cst) <= 0;
    }
    ~ActScope() { g_actsInProgress.fetch_sub(1, std::memory_order_seq_cst); }
    ActScope(const ActScope&) = delete;
    ActScope& operator=(const ActScope&) = delete;

    bool mayAct() const { return m_mayAct; }

private:
    bool m_mayAct;
};

/// At the entry of a call that begins a capture, after openCaptures was raised.
inline void waitForActs() {
    constexpr timespec kPause{0, 10'000};
    while (g_actsInProgress.load(std::memory_order_seq_cst) > 0)
        ::nanosleep(&kPause, nullptr);
}

}  // namespace vramscope::collector
