// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/window_writers.h"

#include <algorithm>

#include "analyzer/model/named_launch.h"

namespace vramscope::model {
namespace {

/// Work that is not known to be done, and work that a window waits through for its launch to be done: with
/// more, nobody is accused.
constexpr std::size_t kMostRecent = 50'000;
constexpr std::size_t kMostWorksOfAWindow = 100'000;
constexpr std::size_t kMostOthers = 5;

}  // namespace

WindowWriters::WindowWriters(const HappensBefore& order, std::vector<DigestChange>& changes)
    : m_order(order), m_windows(changes.size()) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
        m_windows[i].change = &changes[i];
        if (changes[i].launch.enterNs != 0)
            m_byLaunch.emplace(
                LaunchKey{changes[i].processId, changes[i].threadId, changes[i].launch.enterNs}, i);
    }
}

void WindowWriters::work(const WritingWork& work) {
    if (m_windows.empty()) return;
    std::erase_if(m_open, [&](std::size_t i) {
        Window& window = m_windows[i];
        window.isUnsure = ++window.worksSince > kMostWorksOfAWindow;
        window.isOpen =
            !window.isUnsure && window.others.size() < kMostOthers && !m_order.isSurelyDone(window.point);
        if (window.isOpen) meet(window, work);
        return !window.isOpen;
    });
    const auto [begin, end] =
        m_byLaunch.equal_range(LaunchKey{work.call.processId, work.call.threadId, work.call.enterNs});
    for (auto at = begin; at != end; ++at) {
        open(m_windows[at->second], work);
        m_open.push_back(at->second);
    }
    m_recent.push_back(work);
    if (m_recent.size() > m_forgetAt) forgetDone();
}

void WindowWriters::open(Window& window, const WritingWork& launch) {
    window.point = launch.point;
    window.isOpen = true;
    for (const WritingWork& other : m_recent)
        meet(window, other);
}

void WindowWriters::meet(Window& window, const WritingWork& other) const {
    if (window.others.size() < kMostOthers && mayMeet(window, other)) window.others.insert(other.kernelId);
}

bool WindowWriters::mayMeet(const Window& window, const WritingWork& other) const {
    const DigestChange& change = *window.change;
    if (other.call.processId != change.processId) return false;
    if (other.kernelId == 0 && other.bufferId != change.bufferId) return false;
    if (other.point.stream == window.point.stream) {
        // Between the digests only if another thread came between, or a digest served two launches.
        return other.point.tick != window.point.tick && other.call.enterNs < change.toNs + kClockSlackNs &&
               other.call.exitNs > change.fromNs - kClockSlackNs && other.call.threadId != change.threadId;
    }
    return !m_order.isSurelyBefore(other.point, window.point) &&
           !m_order.isSurelyBefore(window.point, other.point);
}

void WindowWriters::forgetDone() {
    std::erase_if(m_recent, [&](const WritingWork& work) { return m_order.isSurelyDone(work.point); });
    if (m_recent.size() > kMostRecent) {
        m_recent.clear();
        m_isWhole = false;
    }
    m_forgetAt = std::max<std::size_t>(1024, 2 * m_recent.size());
}

std::vector<std::set<std::int64_t>> WindowWriters::finish() {
    std::vector<std::set<std::int64_t>> others;
    for (Window& window : m_windows) {
        const bool wasSeen = window.point.stream != kNoStream;
        window.change->isWriterKnown = wasSeen && !window.isUnsure && m_isWhole && window.others.empty() &&
                                       !m_order.hasContention(window.change->processId);
        others.push_back(std::move(window.others));
    }
    return others;
}

}  // namespace vramscope::model
