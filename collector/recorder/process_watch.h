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

    bool hasEnded() const;
    /// After hasEnded(): what the kernel says (PIDFD_GET_INFO, Linux 6.15); nothing on older kernels.
    ProcessEnd end() const;

private:
    int m_pidfd = -1;
};

}  // namespace vramscope::collector
