// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collector/launcher/child_process.h"
#include "collector/recorder/joined_job.h"
#include "collector/recorder/session_settings.h"

namespace vramscope::collector {

/// Another launcher's session, and a place in it for jobs of ours (`run --join`).
struct JoinedSession {
    SessionDirectory session;
    JoinedJob place;
    EnvironmentChanges environment;  ///< of the jobs
};

/// Joins the session called `name`. A Status, with what to do about it, where there is none, it is of another
/// version or it is ending, or where another tool wants to be loaded into the job.
StatusOr<JoinedSession> joinSession(const std::string& name, const std::string& command, bool require);

/// Lets other launchers put jobs into `session` (SessionSettings). `name` may be empty.
Status offerSession(const SessionDirectory& session, const std::string& name,
                    const EnvironmentChanges& environment);

/// Blocks while jobs of other launchers run in the session, or until a signal asks us to end; behind that no
/// more jobs may join. Says that it waits, and calls `onWait` then.
void waitForJoinedJobs(const SessionDirectory& session, const std::function<void()>& onWait);

}  // namespace vramscope::collector
