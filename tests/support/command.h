// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace vramscope::tests {

/// How a command ended and what it printed.
struct CommandResult {
    std::optional<int> exitCode;  ///< when it ended by itself
    std::optional<int> signal;    ///< when a signal ended it
    bool timedOut = false;        ///< it had to be killed
    std::string out;
    std::string err;

    /// Everything about it, for the message of a failed expectation.
    std::string describe() const;
};

/// What to run. Variables are set on top of this process's environment; an empty optional takes one away.
struct CommandLine {
    std::vector<std::string> words;
    std::map<std::string, std::optional<std::string>> environment;
    std::filesystem::path folder;  ///< to run in; empty for ours
    bool ownGroup = true;  ///< its own process group, so that the signals of a terminal can be imitated
    std::chrono::seconds timeout{60};
};

/// A command under way. Output goes to files, so that a full pipe never holds it up. Killed with its whole
/// group at destruction if it still runs. Used by one thread.
class RunningCommand {
public:
    explicit RunningCommand(CommandLine line);
    RunningCommand(const RunningCommand&) = delete;
    RunningCommand& operator=(const RunningCommand&) = delete;
    ~RunningCommand();

    pid_t pid() const { return m_pid; }
    /// To the process alone.
    void signal(int number) const;
    /// To every process of its group, as Ctrl-C on a terminal does.
    void signalGroup(int number) const;
    /// Waits until its standard output contains `text`; false at the timeout or when it ends without.
    bool waitForOutput(const std::string& text);
    /// Blocks until it ends or its timeout is over, then it is killed.
    CommandResult wait();

private:
    [[noreturn]] void execute();
    bool hasEnded();

    CommandLine m_line;
    int m_out = -1;
    int m_err = -1;
    pid_t m_pid = -1;
    std::chrono::steady_clock::time_point m_deadline;
    std::optional<int> m_status;  // as waitpid() gave it
};

/// Runs it to its end.
CommandResult run(const CommandLine& line);

/// Why a command under `unshare -m` cannot mount here; empty where it can. It needs root, or what comes near
/// it, and a root folder that is a mount itself, which that of a plain chroot is not.
std::string whyNoMountNamespace();

}  // namespace vramscope::tests
