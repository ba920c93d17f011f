// SPDX-License-Identifier: Apache-2.0
#include "tests/support/command.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace vramscope::tests {
namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(5);

std::string contentOf(int file) {
    struct stat facts {};
    if (::fstat(file, &facts) != 0) return {};
    std::string text(static_cast<std::size_t>(facts.st_size), '\0');
    const ssize_t length = ::pread(file, text.data(), text.size(), 0);
    text.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
    return text;
}

int outputFile(const char* name) {
    return ::memfd_create(name, MFD_CLOEXEC);
}

}  // namespace

std::string CommandResult::describe() const {
    std::string text = timedOut ? "timed out"
                       : signal ? "ended by signal " + std::to_string(*signal)
                                : "exit code " + std::to_string(exitCode.value_or(-1));
    return text + "\n--- stdout\n" + out + "--- stderr\n" + err;
}

RunningCommand::RunningCommand(CommandLine line)
    : m_line(std::move(line)),
      m_out(outputFile("stdout")),
      m_err(outputFile("stderr")),
      m_deadline(std::chrono::steady_clock::now() + m_line.timeout) {
    m_pid = ::fork();
    if (m_pid == 0) execute();
    // Set on both sides, so that neither has to wait for the other.
    if (m_line.ownGroup) ::setpgid(m_pid, m_pid);
}

RunningCommand::~RunningCommand() {
    if (!m_status && m_pid > 0) {
        signalGroup(SIGKILL);
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
    ::close(m_out);
    ::close(m_err);
}

void RunningCommand::execute() {
    if (m_line.ownGroup) ::setpgid(0, 0);
    if (!m_line.folder.empty() && ::chdir(m_line.folder.c_str()) != 0) ::_exit(120);
    for (const auto& [name, value] : m_line.environment) {
        if (value) {
            ::setenv(name.c_str(), value->c_str(), 1);
        } else {
            ::unsetenv(name.c_str());
        }
    }
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(m_out, STDOUT_FILENO);
    ::dup2(m_err, STDERR_FILENO);
    std::vector<char*> argv;
    for (std::string& word : m_line.words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    const std::string message = "test cannot run " + m_line.words[0] + ": " + std::strerror(errno) + "\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
    ::_exit(121);
}

void RunningCommand::signal(int number) const {
    ::kill(m_pid, number);
}

void RunningCommand::signalGroup(int number) const {
    if (m_line.ownGroup) ::kill(-m_pid, number);
}

bool RunningCommand::hasEnded() {
    int status = 0;
    if (!m_status && ::waitpid(m_pid, &status, WNOHANG) == m_pid) m_status = status;
    return m_status.has_value();
}

bool RunningCommand::waitForOutput(const std::string& text) {
    for (;;) {
        const bool ended = hasEnded();
        if (contentOf(m_out).find(text) != std::string::npos) return true;
        if (ended || std::chrono::steady_clock::now() > m_deadline) return false;
        std::this_thread::sleep_for(kPollInterval);
    }
}

CommandResult RunningCommand::wait() {
    CommandResult result;
    while (!hasEnded()) {
        if (std::chrono::steady_clock::now() > m_deadline) {
            result.timedOut = true;
            signalGroup(SIGKILL);
            ::kill(m_pid, SIGKILL);
        }
        std::this_thread::sleep_for(kPollInterval);
    }
    if (WIFEXITED(*m_status)) result.exitCode = WEXITSTATUS(*m_status);
    if (WIFSIGNALED(*m_status)) result.signal = WTERMSIG(*m_status);
    result.out = contentOf(m_out);
    result.err = contentOf(m_err);
    return result;
}

CommandResult run(const CommandLine& line) {
    return RunningCommand(line).wait();
}

std::string whyNoMountNamespace() {
    const CommandResult probe =
        run({{"unshare", "-m", "mount", "-t", "tmpfs", "vramscope-test", "/mnt"}, {}, {}});
    return probe.exitCode == 0 ? "" : "needs the right to mount: " + probe.describe();
}

}  // namespace vramscope::tests
