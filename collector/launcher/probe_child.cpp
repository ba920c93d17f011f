// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/probe_child.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vramscope::collector {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void answer(const std::function<std::string()>& question, int pipe) {
    // A group of its own, so that what it starts can be ended with it; and it must not outlive us.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::dup2(nowhere, file);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    const std::string text = question();
    for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t length = ::write(pipe, text.data() + sent, text.size() - sent);
        if (length <= 0) ::_exit(1);
        sent += static_cast<std::size_t>(length);
    }
    // Exit handlers of a driver that we only looked at are nothing to wait for.
    ::_exit(0);
}

// False when the time is over. Otherwise the other end is closed and `text` is whole.
bool readUntil(int pipe, Clock::time_point deadline, std::string& text) {
    char buffer[4096];
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd waiting{pipe, POLLIN, 0};
        const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(left)) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t length = ::read(pipe, buffer, sizeof(buffer));
        if (length <= 0) return true;
        text.append(buffer, static_cast<std::size_t>(length));
    }
}

}  // namespace

StatusOr<std::string> askInChild(const std::function<std::string()>& question,
                                 std::chrono::milliseconds limit) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Status(ErrorKind::System, std::strerror(errno));
    const pid_t child = ::fork();
    if (child == 0) answer(question, ends[1]);
    ::close(ends[1]);
    if (child < 0) {
        ::close(ends[0]);
        return Status(ErrorKind::System, std::strerror(errno));
    }
    std::string text;
    const bool inTime = readUntil(ends[0], Clock::now() + limit, text);
    if (!inTime && ::kill(-child, SIGKILL) != 0) ::kill(child, SIGKILL);
    ::close(ends[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!inTime)
        return Status(ErrorKind::System, fmt::format("gave no answer within {} s",
                                                     std::chrono::duration<double>(limit).count()));
    if (WIFSIGNALED(status))
        return Status(ErrorKind::System, fmt::format("crashed ({})", ::strsignal(WTERMSIG(status))));
    if (WEXITSTATUS(status) != 0) {
        return Status(ErrorKind::System,
                      fmt::format("ended its process with exit code {}", WEXITSTATUS(status)));
    }
    return text;
}

}  // namespace vramscope::collector
