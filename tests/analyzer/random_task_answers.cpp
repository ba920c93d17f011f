// SPDX-License-Identifier: Apache-2.0
// What is true of a random program, and what a recording shows of it.
#include <algorithm>

#include "tests/analyzer/random_task_program.h"

namespace vramscope::tests {

const model::Capture& RandomTaskProgram::capture() {
    if (m_isBuilt) return m_capture;
    m_isBuilt = true;
    m_capture.meta["state"] = "complete";
    m_capture.buffers = model::Table<model::Buffer, model::BufferId>(m_bufferRows);
    auto& accesses = m_capture.sharedAccesses.accesses;
    std::stable_sort(accesses.begin(), accesses.end(),
                     [](const model::Access& a, const model::Access& b) { return a.enterNs < b.enterNs; });
    std::vector<model::StreamRow> streams;
    for (std::size_t i = 0; i < m_last.size(); ++i)
        streams.push_back({model::StreamId{static_cast<std::int64_t>(i) + 1}, model::ProcessId{1},
                           model::ContextId{1}, false, false});
    formats::LaunchArgument argument{};
    model::OrderingModel order(streams, [&](std::int64_t set) {
        argument = {0, (set - 1) / static_cast<std::int64_t>(kCells) + 1,
                    static_cast<std::uint64_t>((set - 1) % static_cast<std::int64_t>(kCells) * kCellBytes)};
        return std::span<const formats::LaunchArgument>(&argument, 1);
    });
    takeDigests();
    model::WindowWriters writers(order.order(), m_capture.digestChanges);
    order.tellWork(&writers);
    std::stable_sort(m_feeds.begin(), m_feeds.end(),
                     [](const Feed& a, const Feed& b) { return a.first < b.first; });
    for (const Feed& feed : m_feeds)
        feed.second(order);
    m_capture.ordering.conflicts = order.finish();
    writers.finish();
    addDigestAccesses();
    for (model::OrderingConflict& conflict : m_capture.ordering.conflicts) {
        // Names that are read below live as long as the model.
        conflict.earlier.call = conflict.later.call = {};
    }
    m_capture.ordering.isJudged = m_capture.ordering.waitsAreWhole = true;
    return m_capture;
}

const std::map<RandomTaskProgram::ForeignKey, RandomTaskProgram::Foreign>&
RandomTaskProgram::foreignWrites() {
    m_foreign.clear();
    for (const Write& write : m_writes) {
        for (const auto& [owner, foreign] : write.foreign) {
            Foreign& told = m_foreign[{write.enterNs, write.buffer, owner}];
            told = foreign;
            told.isSettled = std::none_of(m_said.begin(), m_said.end(), [&](const Said& said) {
                return said.buffer == write.buffer && write.enterNs <= said.timeNs &&
                       said.timeNs <= write.exitNs && said.first < write.end && write.first < said.end;
            });
        }
    }
    return m_foreign;
}

bool RandomTaskProgram::isRace(const Use& a, const Use& b) const {
    const bool canClash = a.first < b.end && b.first < a.end && (a.isWrite || b.isWrite);
    return a.node != b.node && canClash && !m_graph.isBefore(a.node, b.node) &&
           !m_graph.isBefore(b.node, a.node);
}

bool RandomTaskProgram::isRacyPair(std::int64_t buffer, std::int64_t earlierNs, std::int64_t laterNs) const {
    const std::vector<Use>& uses = m_buffers[static_cast<std::size_t>(buffer - 1)].uses;
    return std::any_of(uses.begin(), uses.end(), [&](const Use& a) {
        return a.enterNs == earlierNs && std::any_of(uses.begin(), uses.end(), [&](const Use& b) {
                   return b.enterNs == laterNs && isRace(a, b);
               });
    });
}

std::set<std::int64_t> RandomTaskProgram::racyBuffers() const {
    std::set<std::int64_t> racy;
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        for (const Use& a : m_buffers[i].uses) {
            for (const Use& b : m_buffers[i].uses) {
                if (!a.isLaunch && !b.isLaunch && isRace(a, b)) racy.insert(static_cast<std::int64_t>(i) + 1);
            }
        }
    }
    return racy;
}

}  // namespace vramscope::tests
