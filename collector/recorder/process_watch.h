// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace vramscope::collector {

/// How a process ended, as far as the kernel told us.
struct ProcessEnd {
    std::optional<int> exitCode;
    std::optional<int> signal;
};

/// Watches one process by pidfd, which unlike a pid is never reused. Movable.
class ProcessWatch {
public:
    /// `startTicks` guards against a pid that was reused before we looked. A watch on a process that is gone
    /// already reports it as ended.
    ProcessWatch(std::uint32_t pid, std::uint64_t startTicks);
    ProcessWatch(ProcessWatch&& other) noexcept;
    ProcessWatch& operator=(ProcessWatch&& other) noexcept;
    ~ProcessWatch();

    /// False as long as it may still run. Where the kernel gives no pidfd (older than 5.3, or refused) the
    /// process table is looked at instead; where that shows another pid namespace's numbers, the answer is
    /// always false and the end of the session decides.
    bool hasEnded() const;
    /// After hasEnded(): what the kernel says (PIDFD_GET_INFO, Linux 6.15); nothing on older kernels.
    ProcessEnd end() const;

private:
    enum class Method { Pidfd, ProcessTable, None };
    Method m_method = Method::None;
    int m_pidfd = -1;
    std::uint32_t m_pid = 0;
    std::uint64_t m_startTicks = 0;
};

}  // namespace vramscope::collector
