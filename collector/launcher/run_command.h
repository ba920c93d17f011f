// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "collector/launcher/child_process.h"
#include "collector/launcher/job_environment.h"

namespace vramscope::collector {

/// The verb `run`: its options on the command line and what it does with them.
class RunCommand {
public:
    /// Adds the verb to `app`. The command object must outlive parsing and execute().
    explicit RunCommand(CLI::App& app);

    bool isChosen() const { return m_verb->parsed(); }
    /// Runs the job. Returns the exit code of design: the job's own, 125 for our failure, 126 or 127 if it
    /// could not start.
    int execute();

private:
    /// One of the commands that run at the same time.
    struct Job {
        std::string name;  ///< of its task; empty for the only one
        std::vector<std::string> command;
    };
    /// What the command line asks for: the job, or all --job.
    std::vector<Job> jobs() const;
    /// Puts the job into the session of another `run`.
    int runJoined();
    /// Starts them all, or none: those that have started when one cannot are ended.
    StatusOr<std::vector<ChildProcess>> start(const EnvironmentChanges& environment) const;
    int runUnrecorded(const Status& reason);
    int runRecorded(const SessionDirectory& session, const EnvironmentChanges& environment);
    void refuseOptionsBesideJoin() const;
    Status checkSessionName() const;
    int applyGate(int childCode, const std::filesystem::path& capture) const;
    int cannotStart(const Status& status) const;

    CLI::App* m_verb;
    std::vector<std::string> m_command;
    std::vector<std::string> m_jobs;  ///< NAME=COMMAND
    std::string m_session;            ///< --session
    std::string m_join;               ///< --join
    std::string m_output;
    bool m_overwrite = false;
    bool m_check = false;
    bool m_quiet = false;
    RecordingOptions m_recording;
};

}  // namespace vramscope::collector
