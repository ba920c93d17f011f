// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/joined_jobs.h"

#include <fmt/format.h>
#include <string>

namespace vramscope::collector {

namespace {

std::string endText(const ProcessEnd& end) {
    if (end.signal) return fmt::format("was ended by signal {}", *end.signal);
    return fmt::format("ended with {}", end.exitCode.value_or(0));
}

}  // namespace

void JoinedJobs::look(CaptureSink& sink, std::uint64_t nowTicks) {
    for (const std::filesystem::path& file : JoinedJobState::all(m_session)) {
        Known& known = m_known[file];
        if (!known.hasEnded) follow(known, JoinedJobState::read(file), sink, nowTicks);
    }
}

void JoinedJobs::follow(Known& known, const JoinedJobState& state, CaptureSink& sink,
                        std::uint64_t nowTicks) {
    for (const JoinedJobState::Child& child : state.children) {
        if (known.told.insert(child.pid).second) {
            m_onChild(child.pid, std::nullopt);
            sink.addNote(nowTicks, 0, "info", "job-joined", fmt::format("A job joined: {}.", state.command));
        }
        if (known.settled.contains(child.pid)) continue;
        if (child.end) {
            m_onChild(child.pid, child.end);
            sink.addNote(nowTicks, 0, "info", "joined-job-ended",
                         fmt::format("The joined job {} {}.", state.command, endText(*child.end)));
        } else if (!state.isLauncherAlive) {
            m_onLost(child.pid);
            sink.addNote(nowTicks, 0, "info", "joined-job-alone",
                         fmt::format("The launcher of the joined job {} was killed.", state.command));
        } else {
            continue;
        }
        known.settled.insert(child.pid);
    }
    known.hasEnded = !state.isRunning() && known.settled.size() == known.told.size();
}

}  // namespace vramscope::collector
