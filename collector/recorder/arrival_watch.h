// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "collector/recorder/session_directory.h"

namespace vramscope::collector {

/// Sleeps, but wakes up when a process of the job puts its ring into the session: a process may live for less
/// than a pause, and only one that was met alive can be asked how it ended. Where the kernel offers no such
/// wake-up (inotify) it only sleeps. One thread, but for wake().
class ArrivalWatch {
public:
    explicit ArrivalWatch(const SessionDirectory& session);
    ArrivalWatch(const ArrivalWatch&) = delete;
    ArrivalWatch& operator=(const ArrivalWatch&) = delete;
    ~ArrivalWatch();

    /// Returns after `pause`, or as soon as a file has arrived since the last call. Whether one may have.
    bool wait(std::chrono::milliseconds pause);

    /// Ends a wait in progress, or the next one. Any thread.
    void wake();

private:
    int m_notices = -1;
    int m_wakeUp = -1;
};

}  // namespace vramscope::collector
