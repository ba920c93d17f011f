// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/joined_run.h"

#include <cstdlib>
#include <ctime>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "collector/launcher/job_environment.h"
#include "collector/recorder/process_table.h"
#include "collector/recorder/tell_user.h"

namespace vramscope::collector {

namespace {

std::size_t runningJobs(const SessionDirectory& session) {
    std::size_t count = 0;
    for (const std::filesystem::path& file : JoinedJobState::all(session))
        count += JoinedJobState::read(file).isRunning() ? 1 : 0;
    return count;
}

sigset_t endingSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
        sigaddset(&set, signal);
    return set;
}

bool isToldToEnd(long waitNs) {
    const sigset_t set = endingSignals();
    const timespec wait{0, waitNs};
    return ::sigtimedwait(&set, nullptr, &wait) > 0;
}

/// False when a signal ended it.
bool waitWhileJobsRun(const SessionDirectory& session) {
    constexpr long kLookEveryNs = 100'000'000;
    while (runningJobs(session) > 0) {
        if (isToldToEnd(kLookEveryNs)) return false;
    }
    return true;
}

}  // namespace

StatusOr<JoinedSession> joinSession(const std::string& name, const std::string& command, bool require) {
    VRAMSCOPE_ASSIGN_OR_RETURN(SessionDirectory session, findSession(name));
    VRAMSCOPE_ASSIGN_OR_RETURN(const SessionSettings settings, SessionSettings::read(session));
    if (settings.version != SessionSettings::thisVersion()) {
        return Status(
            ErrorKind::Usage,
            fmt::format("session {} is recorded by vramscope {}, and this is {}: join it with that one.",
                        name, settings.version, SessionSettings::thisVersion()));
    }
    EnvironmentChanges environment;
    for (const auto& [key, value] : settings.environment) {
        const bool isDoor = !key.starts_with("VRAMSCOPE_");
        const bool isTaken = isDoor && isHeldByOtherTool(key, value);
        if (isTaken && key == kDriverDoor) return Status(ErrorKind::Usage, otherToolText(key));
        if (!isTaken && key != "VRAMSCOPE_REQUIRE" && key != "VRAMSCOPE_JOB")
            environment.emplace_back(key, value);
    }
    environment.emplace_back("VRAMSCOPE_REQUIRE", require ? "1" : "0");
    environment.emplace_back("VRAMSCOPE_JOB", "");
    VRAMSCOPE_ASSIGN_OR_RETURN(JoinedJob place, JoinedJob::join(session, command));
    return JoinedSession{std::move(session), std::move(place), std::move(environment)};
}

Status offerSession(const SessionDirectory& session, const std::string& name,
                    const EnvironmentChanges& environment) {
    const auto self = static_cast<std::uint32_t>(::getpid());
    return SessionSettings{SessionSettings::thisVersion(), name, self, startTicksOfPid(self), environment}
        .write(session);
}

void waitForJoinedJobs(const SessionDirectory& session, const std::function<void()>& onWait) {
    // What ended our own job was not meant for the recording.
    while (isToldToEnd(0)) {
    }
    if (const std::size_t count = runningJobs(session); count > 0) {
        onWait();
        tellUser(
            "vramscope: the job has ended; the recording goes on for {} joined job{}. Ctrl-C ends it now.\n",
            count, count == 1 ? "" : "s");
    }
    const bool isWanted = waitWhileJobsRun(session);
    SessionSettings::close(session);
    // Whoever took a place before that found the session open.
    if (isWanted) static_cast<void>(waitWhileJobsRun(session));
}

}  // namespace vramscope::collector
