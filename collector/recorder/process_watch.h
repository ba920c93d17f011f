// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace vramscope::collector {

/// How a process ended, as far as the kernel told us.
struct ProcessEnd {
    std::optional<int> exitCode;
    std::optional<int> signal;

    bool isKnown() const { return exitCode || signal; }
};

/// Watches one process by pidfd, which unlike a pid is never reused. Movable.
class ProcessWatch {
public:
    /// `pid` is the process's own idea of its number; one in a pid namespace of its own is looked for.
    /// `startTicks` guards against a pid that was reused before we looked. A watch on a process that is gone
    /// already reports it as ended.
    ProcessWatch(std::uint32_t pid, std::uint64_t startTicks);
    ProcessWatch(ProcessWatch&& other) noexcept;
    ProcessWatch& operator=(ProcessWatch&& other) noexcept;
    ~ProcessWatch();

    /// Its number in our pid namespace, where it was found; else the one given.
    std::uint32_t pid() const { return m_pid; }
    /// True when it cannot be seen from here: hasEnded() stays false.
    bool isBlind() const { return m_method == Method::None; }
    /// False as long as it may still run. Where the kernel gives no pidfd (older than 5.3, or refused) the
    /// process table is looked at instead.
    bool hasEnded() const;
    /// After hasEnded(): what the kernel says, from the process table while its parent has not waited for it,
    /// after that from the pidfd (PIDFD_GET_INFO, Linux 6.15). Not known where nobody will ever say; nullopt
    /// when asking again, some milliseconds later, may help.
    std::optional<ProcessEnd> end() const;

private:
    enum class Method { Pidfd, ProcessTable, None };
    Method m_method = Method::None;
    int m_pidfd = -1;
    std::uint32_t m_pid = 0;
    std::uint64_t m_startTicks = 0;
};

}  // namespace vramscope::collector
