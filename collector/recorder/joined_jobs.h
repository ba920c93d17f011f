// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "collector/recorder/capture_sink.h"
#include "collector/recorder/joined_job.h"

namespace vramscope::collector {

/// What the recorder writes down of jobs that other launchers put into its session (`run --join`).
class JoinedJobs {
public:
    /// `onChild` is told of a child that began, with no end, and again with its end; `onLost` of one whose
    /// end its launcher cannot tell any more.
    using OnChild = std::function<void(std::uint32_t pid, const std::optional<ProcessEnd>& end)>;
    using OnLost = std::function<void(std::uint32_t pid)>;
    JoinedJobs(const SessionDirectory& session, OnChild onChild, OnLost onLost)
        : m_session(session), m_onChild(std::move(onChild)), m_onLost(std::move(onLost)) {}

    /// Looks what has changed since the last time, and adds a note for each job that joined or ended.
    void look(CaptureSink& sink, std::uint64_t nowTicks);

private:
    struct Known {
        std::set<std::uint32_t> told;     ///< children
        std::set<std::uint32_t> settled;  ///< of them, those that have ended or were lost
        bool hasEnded = false;
    };
    void follow(Known& known, const JoinedJobState& state, CaptureSink& sink, std::uint64_t nowTicks);

    const SessionDirectory& m_session;
    OnChild m_onChild;
    OnLost m_onLost;
    std::map<std::filesystem::path, Known> m_known;
};

}  // namespace vramscope::collector
