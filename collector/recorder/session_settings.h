// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collector/recorder/session_directory.h"

namespace vramscope::collector {

/// What another launcher must know to put a job into a session (`run --join`): a file of the session's folder
/// that is there while it takes more jobs. Only the session's user can read it.
struct SessionSettings {
    std::string version;  ///< of the recorder, with the layout of rings
    std::string name;     ///< run --session; may be empty
    std::uint32_t recorderPid = 0;
    std::uint64_t recorderStartTicks = 0;
    std::vector<std::pair<std::string, std::string>> environment;  ///< of every job

    /// What read() must find in `version` to be of this build.
    static std::string thisVersion();

    /// From now on jobs may join. Writes the file whole or not at all.
    Status write(const SessionDirectory& session) const;
    /// What is there; Unreadable when there is none, it is of no use, or the recorder has gone.
    static StatusOr<SessionSettings> read(const SessionDirectory& session);
    /// No more jobs may join.
    static void close(const SessionDirectory& session);
    /// Whether they still may.
    static bool isOpen(const SessionDirectory& session);
};

/// True for a name that a session can be called by.
bool isSessionName(const std::string& text);

/// The running session of this user called `name`, or whose folder that is. A sentence with those that are
/// there when there is none.
StatusOr<SessionDirectory> findSession(const std::string& name);

}  // namespace vramscope::collector
