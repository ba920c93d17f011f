// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/process_watch.h"

#include <cerrno>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "collector/recorder/process_table.h"

namespace vramscope::collector {

namespace {

// From linux/pidfd.h of Linux 6.15, which Debian 12's headers are too old for: the structure and the request
// number.
struct PidfdInfo {
    std::uint64_t mask;
    std::uint64_t cgroupid;
    std::uint32_t pid, tgid, ppid;
    std::uint32_t ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
    std::int32_t exitCode;
};
constexpr std::uint64_t kPidfdInfoExit = 1u << 3;
constexpr unsigned long kPidfdGetInfo = _IOWR(0xFF, 11, PidfdInfo);
static_assert(sizeof(PidfdInfo) == 64);

ProcessEnd endOf(int waitStatus) {
    ProcessEnd end;
    if (WIFEXITED(waitStatus)) end.exitCode = WEXITSTATUS(waitStatus);
    if (WIFSIGNALED(waitStatus)) end.signal = WTERMSIG(waitStatus);
    return end;
}

}  // namespace

ProcessWatch::ProcessWatch(std::uint32_t pid, std::uint64_t startTicks)
    : m_pid(pid), m_startTicks(startTicks) {
    if (startTicksOfPid(pid) != startTicks) m_pid = findInNamespaces(pid, startTicks).value_or(pid);
    m_pidfd = static_cast<int>(::syscall(SYS_pidfd_open, m_pid, 0));
    const bool isGone = m_pidfd < 0 && errno == ESRCH;
    // Asked after opening: if the process is still the same now, the pidfd is of that process.
    const bool isSame = startTicksOfPid(m_pid) == startTicks;
    if (m_pidfd >= 0 && isSame) {
        m_method = Method::Pidfd;
    } else if (isSame || isGone) {
        m_method = Method::ProcessTable;
    }
    if (m_pidfd >= 0 && !isSame) {
        ::close(m_pidfd);
        m_pidfd = -1;
    }
}

ProcessWatch::ProcessWatch(ProcessWatch&& other) noexcept {
    *this = std::move(other);
}

ProcessWatch& ProcessWatch::operator=(ProcessWatch&& other) noexcept {
    std::swap(m_method, other.m_method);
    std::swap(m_pidfd, other.m_pidfd);
    std::swap(m_pid, other.m_pid);
    std::swap(m_startTicks, other.m_startTicks);
    return *this;
}

ProcessWatch::~ProcessWatch() {
    if (m_pidfd >= 0) ::close(m_pidfd);
}

bool ProcessWatch::hasEnded() const {
    if (m_method == Method::None) return false;
    if (m_method == Method::ProcessTable) return startTicksOfPid(m_pid) != m_startTicks;
    pollfd poll{m_pidfd, POLLIN, 0};
    return ::poll(&poll, 1, 0) == 1;
}

std::optional<ProcessEnd> ProcessWatch::end() const {
    PidfdInfo info{};
    info.mask = kPidfdInfoExit;
    const bool isTold = m_pidfd >= 0 && ::ioctl(m_pidfd, kPidfdGetInfo, &info) == 0;
    if (isTold && (info.mask & kPidfdInfoExit) != 0) return endOf(info.exitCode);
    const bool knowsTheQuestion = m_pidfd >= 0 && (isTold || errno == ESRCH);
    if (const std::optional<int> status = waitStatusOfZombie(m_pid, m_startTicks)) return endOf(*status);
    // Between the two questions its parent may have waited for it: then the first has an answer now.
    if (knowsTheQuestion || startTicksOfPid(m_pid) == m_startTicks) return std::nullopt;
    return ProcessEnd{};
}

}  // namespace vramscope::collector
