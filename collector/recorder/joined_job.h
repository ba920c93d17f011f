// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/recorder/process_watch.h"
#include "collector/recorder/session_directory.h"

namespace vramscope::collector {

/// A launcher's place in somebody else's session: a file that it holds locked while its jobs run, and in
/// which it writes down how they ended. The lock goes with the launcher, whatever ends that.
class JoinedJob {
public:
    /// Takes the place. Unreadable when the session ends meanwhile: then the recorder does not wait.
    static StatusOr<JoinedJob> join(const SessionDirectory& session, const std::string& command);
    JoinedJob(JoinedJob&& other) noexcept;
    JoinedJob& operator=(JoinedJob&&) = delete;
    ~JoinedJob();

    /// A child of this launcher's began, or ended.
    void childStarted(std::uint32_t pid) const;
    void childEnded(std::uint32_t pid, const ProcessEnd& end) const;

private:
    explicit JoinedJob(int file) : m_file(file) {}
    void write(const std::string& line) const;
    int m_file;
};

/// What the recorder sees of such a place.
struct JoinedJobState {
    struct Child {
        std::uint32_t pid = 0;
        std::uint64_t startTicks = 0;
        std::optional<ProcessEnd> end;
    };
    std::string command;
    std::vector<Child> children;
    bool isLauncherAlive = false;

    /// The launcher, or a job whose launcher was killed.
    bool isRunning() const;

    static JoinedJobState read(const std::filesystem::path& file);
    /// The places in the session, by name.
    static std::vector<std::filesystem::path> all(const SessionDirectory& session);
};

}  // namespace vramscope::collector
