// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "collector/recorder/process_watch.h"
#include "formats/status.h"

namespace vramscope::collector {

/// From here on neither a reader of our messages that goes away (`| head`) nor a capture that reaches the
/// limit on file sizes (`ulimit -f`) ends us or the recording; the job keeps what it would have had without
/// us. Idempotent; for one thread.
void outliveFailedWrites();

using EnvironmentChanges = std::vector<std::pair<std::string, std::string>>;

/// The job: a child process that gets our terminal, our signals and an environment of its own.
class ChildProcess {
public:
    /// Starts `command` (looked up on PATH) with `environment` set on top of ours. From here on signals that
    /// are sent to us alone are handed on to it; those of the terminal reach it by themselves.
    static StatusOr<ChildProcess> start(const std::vector<std::string>& command,
                                        const EnvironmentChanges& environment);

    pid_t pid() const { return m_pid; }
    /// Blocks until it ends.
    ProcessEnd wait() const { return waitForAll({*this}).front(); }

    /// Blocks until all have ended; how each did, in their order. They share the signals. `onEnd` gets each
    /// as soon as it has ended.
    using OnEnd = std::function<void(const ChildProcess&, const ProcessEnd&)>;
    static std::vector<ProcessEnd> waitForAll(const std::vector<ChildProcess>& children,
                                              const OnEnd& onEnd = nullptr);

    /// What a shell would return for `end`.
    static int exitCodeOf(const ProcessEnd& end);
    /// The error number of a start() that failed: ENOENT and others, for exit code 126 or 127.
    static int lastStartError();

private:
    explicit ChildProcess(pid_t pid) : m_pid(pid) {}
    std::optional<ProcessEnd> endIfEnded() const;
    pid_t m_pid;
};

}  // namespace vramscope::collector
