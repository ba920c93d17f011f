// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/child_process.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string_view>
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

/// What exec takes, made before the fork: another thread of ours may be holding any lock by then, malloc's or
/// a sanitizer's, and in the child nobody would ever give it back.
class ExecArguments {
public:
    ExecArguments(const std::vector<std::string>& command, const EnvironmentChanges& changes) {
        for (char** entry = environ; *entry != nullptr; ++entry) {
            const std::string_view text = *entry;
            const std::string_view name = text.substr(0, text.find('='));
            if (std::none_of(changes.begin(), changes.end(),
                             [&](const auto& change) { return change.first == name; }))
                m_environment.emplace_back(text);
        }
        for (const auto& [name, value] : changes) {
            std::erase_if(m_environment,
                          [&](const std::string& entry) { return entry.starts_with(name + "="); });
            m_environment.push_back(name + "=" + value);
        }
        point(command, m_argv);
        point(m_environment, m_envp);
    }
    ExecArguments(const ExecArguments&) = delete;
    ExecArguments& operator=(const ExecArguments&) = delete;

    char* const* argv() const { return m_argv.data(); }
    char** envp() { return m_envp.data(); }

private:
    static void point(const std::vector<std::string>& texts, std::vector<char*>& pointers) {
        for (const std::string& text : texts)
            pointers.push_back(const_cast<char*>(text.c_str()));
        pointers.push_back(nullptr);
    }

    std::vector<std::string> m_environment;
    std::vector<char*> m_argv;
    std::vector<char*> m_envp;
};

[[noreturn]] void execute(ExecArguments& arguments, const sigset_t& mask, int errorPipe) {
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::signal(SIGPIPE, g_closedPipeHandlerOfJob);
    ::signal(SIGXFSZ, g_fileSizeHandlerOfJob);
    environ = arguments.envp();
    ::execvp(arguments.argv()[0], arguments.argv());
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
    ExecArguments arguments(command, environment);
    const pid_t pid = ::fork();
    if (pid == 0) execute(arguments, before, errorPipe[1]);
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
