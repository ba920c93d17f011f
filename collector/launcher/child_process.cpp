// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/child_process.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vramscope::collector {

namespace {

int g_lastStartError = 0;
bool g_ignoresFailedWrites = false;
void (*g_closedPipeHandlerOfJob)(int) = SIG_DFL;
void (*g_fileSizeHandlerOfJob)(int) = SIG_DFL;

// Handled by waiting for them, not by handlers: nothing of ours runs in the middle of something else.
sigset_t handledSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD})
        sigaddset(&set, signal);
    return set;
}

[[noreturn]] void execute(const std::vector<std::string>& command, const EnvironmentChanges& environment,
                          const sigset_t& mask, int errorPipe) {
    for (const auto& [name, value] : environment)
        ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> argv;
    for (const std::string& argument : command)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::signal(SIGPIPE, g_closedPipeHandlerOfJob);
    ::signal(SIGXFSZ, g_fileSizeHandlerOfJob);
    ::execvp(argv[0], argv.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(errorPipe, &error, sizeof(error));
    ::_exit(127);
}

}  // namespace

void outliveFailedWrites() {
    if (g_ignoresFailedWrites) return;
    g_ignoresFailedWrites = true;
    g_closedPipeHandlerOfJob = ::signal(SIGPIPE, SIG_IGN);
    g_fileSizeHandlerOfJob = ::signal(SIGXFSZ, SIG_IGN);
}

StatusOr<ChildProcess> ChildProcess::start(const std::vector<std::string>& command,
                                           const EnvironmentChanges& environment) {
    outliveFailedWrites();
    const sigset_t handled = handledSignals();
    sigset_t before;
    ::sigprocmask(SIG_BLOCK, &handled, &before);

    int errorPipe[2];
    if (::pipe2(errorPipe, O_CLOEXEC) != 0)
        return Status(ErrorKind::System, fmt::format("cannot start: {}.", std::strerror(errno)));
    const pid_t pid = ::fork();
    if (pid == 0) execute(command, environment, before, errorPipe[1]);
    ::close(errorPipe[1]);
    g_lastStartError = pid < 0 ? errno : 0;
    if (pid > 0 && ::read(errorPipe[0], &g_lastStartError, sizeof(g_lastStartError)) <= 0)
        g_lastStartError = 0;
    ::close(errorPipe[0]);
    if (g_lastStartError == 0) return ChildProcess(pid);
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    return Status(ErrorKind::System, fmt::format("{}: {}.", command[0], std::strerror(g_lastStartError)));
}

int ChildProcess::lastStartError() {
    return g_lastStartError;
}

std::vector<ProcessEnd> ChildProcess::waitForAll(const std::vector<ChildProcess>& children,
                                                 const OnEnd& onEnd) {
    const sigset_t handled = handledSignals();
    std::vector<std::optional<ProcessEnd>> ends(children.size());
    for (;;) {
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (ends[i]) continue;
            ends[i] = children[i].endIfEnded();
            if (ends[i] && onEnd) onEnd(children[i], *ends[i]);
        }
        const bool allEnded =
            std::all_of(ends.begin(), ends.end(), [](const auto& end) { return end.has_value(); });
        if (allEnded) break;
        siginfo_t info{};
        const int signal = ::sigwaitinfo(&handled, &info);
        // Ctrl-C goes to the whole foreground group, so the job has it already; what somebody sent to us is
        // meant for the job.
        if (signal <= 0 || signal == SIGCHLD || info.si_code > 0) continue;
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (!ends[i]) ::kill(children[i].m_pid, signal);
        }
    }
    std::vector<ProcessEnd> known;
    for (const std::optional<ProcessEnd>& end : ends)
        known.push_back(*end);
    return known;
}

std::optional<ProcessEnd> ChildProcess::endIfEnded() const {
    int status = 0;
    if (::waitpid(m_pid, &status, WNOHANG) != m_pid) return std::nullopt;
    ProcessEnd end;
    if (WIFEXITED(status)) end.exitCode = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    return end;
}

int ChildProcess::exitCodeOf(const ProcessEnd& end) {
    return end.signal ? 128 + *end.signal : end.exitCode.value_or(0);
}

}  // namespace vramscope::collector
