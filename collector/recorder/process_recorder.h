// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "collector/recorder/arena_view.h"
#include "collector/recorder/lane_reader.h"
#include "collector/recorder/process_resolver.h"
#include "collector/recorder/process_watch.h"

namespace vramscope::collector {

/// Records one process of the job: fetches what its threads published, puts it in order, resolves what can no longer be overtaken,
/// and gives ring memory back once that is committed.
class ProcessRecorder {
public:
    /// Takes over an arena; writes the process's row. `positions` is empty unless an interrupted recording is continued.
    ProcessRecorder(CaptureSink& sink, DeviceTable& devices, ArenaView arena);

    /// Fetches and resolves. Returns how many records were resolved. `nowNs` must have been read before the call.
    std::size_t advance(std::uint64_t nowNs);

    /// After a commit: memory of everything resolved goes back to the job.
    void releaseCommitted();

    /// Writes ring positions; part of the transaction that is about to be committed.
    void writePositions();

    /// True when so much ring memory waits for a commit that one should come early.
    bool needsCommit() const;

    bool hasEnded() const { return m_watch.hasEnded(); }
    /// The process is gone, or is left behind (`stillRunning`): resolves the rest and closes its row. `known` is what the
    /// launcher learned about its own child.
    void finish(std::uint64_t nowNs, const ProcessEnd& known, bool stillRunning);
    bool isFinished() const { return m_isFinished; }

    std::uint32_t pid() const { return m_arena.header().pid; }
    const std::filesystem::path& arenaPath() const { return m_arena.path(); }
    std::uint64_t lostEvents() const;
    std::string_view offReason() const;

private:
    struct LaneState {
        LaneReader reader;
        std::deque<PendingRecord> pending;
        std::int64_t threadId = 0;
        std::uint64_t resolvedPosition = 0;
        std::uint64_t committedPosition = 0;
        std::uint32_t generation = 0;
    };
    struct Floors {
        std::uint64_t mutationNs;  ///< no record that ends a lifetime before this can still come
        std::uint64_t callNs;      ///< no record at all before this can still come
    };

    Floors readFloors(std::uint64_t nowNs);
    void fetchAll();
    std::size_t resolveBefore(std::uint64_t limitNs);
    void resolveOne(LaneState& lane);
    void writeProcessRow();
    void writeEngine();
    void writeDrops();

    CaptureSink& m_sink;
    ArenaView m_arena;
    ProcessWatch m_watch;
    std::int64_t m_processId;
    std::int64_t m_taskId;
    ProcessResolver m_resolver;
    std::vector<LaneState> m_lanes;
    Floors m_lastFloors{0, 0};
    std::uint64_t m_lateRecords = 0;
    bool m_engineWritten = false;
    bool m_isFinished = false;
};

}  // namespace vramscope::collector
