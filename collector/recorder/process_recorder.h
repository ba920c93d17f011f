// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/recorder/arena_view.h"
#include "collector/recorder/lane_reader.h"
#include "collector/recorder/process_resolver.h"
#include "collector/recorder/process_watch.h"

namespace vramscope::collector {

/// Records one process of the job: fetches what its threads published, puts it in order, resolves what can no
/// longer be overtaken, and gives ring memory back once that is committed.
class ProcessRecorder {
public:
    /// Takes over an arena. start() or resume() must follow.
    ProcessRecorder(CaptureSink& sink, DeviceTable& devices, ArenaView arena, std::int64_t processId,
                    std::int64_t taskId);

    /// A process not seen before: writes its row.
    void start();
    /// A process of an interrupted recording: goes on behind what was committed.
    Status resume(formats::Connection& capture);

    /// Fetches and resolves. Returns how many records were resolved. `nowTicks` must have been read before
    /// the call.
    std::size_t advance(std::uint64_t nowTicks);

    /// After a commit: memory of everything resolved goes back to the job.
    void releaseCommitted();

    /// Writes ring positions; part of the transaction that is about to be committed.
    void writePositions();

    /// True when so much ring memory waits for a commit that one should come early.
    bool needsCommit() const;

    /// As far as can be seen; of a process that cannot be seen its own word counts.
    bool hasEnded();
    /// After hasEnded(): what the kernel says about it, not known when it does not say. Nullopt while it may
    /// still say: ask again at the next turn.
    std::optional<ProcessEnd> howItEnded();
    /// Why recording a process comes to its end.
    enum class Closing {
        Ended,         ///< it is gone
        Execed,        ///< it became another program, which is recorded by itself
        StillRunning,  ///< the session closes without it
    };
    /// Resolves the rest and closes its row. `known` is what the kernel said; where that is nothing, what the
    /// process said itself when it began to exit.
    /// Returns how many records were resolved.
    std::size_t finish(std::uint64_t nowTicks, const ProcessEnd& known, Closing closing);
    bool isFinished() const { return m_isFinished; }
    /// Whether `later` is of the same process after an exec.
    bool wasExecedInto(const formats::ArenaHeader& later) const {
        const formats::ArenaHeader& ours = m_arena.header();
        return ours.pid == later.pid && ours.startTicks == later.startTicks &&
               ours.attachTicks < later.attachTicks;
    }

    /// Lets the file descriptors by which processes share memory be compared.
    void useDescriptors(DescriptorTable& descriptors) {
        if (!m_watch.isBlind()) m_resolver.useDescriptors(descriptors, m_watch.pid());
    }

    /// In our pid namespace, where it can be seen.
    std::uint32_t pid() const { return m_watch.pid(); }
    std::int64_t processId() const { return m_processId; }
    const std::filesystem::path& arenaPath() const { return m_arena.path(); }
    std::uint64_t lostEvents() const;
    std::string_view offReason() const;

private:
    struct LaneState {
        LaneReader reader;
        PendingQueue<PendingRecord> pending;
        std::int64_t threadId = 0;
        std::uint64_t resolvedPosition = 0;
        std::uint64_t committedPosition = 0;
        std::uint32_t generation = 0;
    };
    /// No record that ends a lifetime before this can still come.
    std::uint64_t readFloor(std::uint64_t nowTicks);
    void forgetOldBuffers(std::uint64_t floor);
    void fetchAll();
    std::size_t resolveBefore(std::uint64_t limitTicks);
    void resolveOne(LaneState& lane);
    void writeProcessRow();
    void writeEngine();
    void writeDrops();
    void writeExactNote(std::uint64_t nowTicks);
    void writeGuardNote(std::uint64_t nowTicks);
    void writeEnd(std::uint64_t nowTicks, ProcessEnd end, Closing closing);

    CaptureSink& m_sink;
    ArenaView m_arena;
    ProcessWatch m_watch;
    std::int64_t m_processId;
    std::int64_t m_taskId;
    ProcessResolver m_resolver;
    std::vector<LaneState> m_lanes;
    std::uint64_t m_lastFloor = 0;
    std::deque<std::pair<std::uint64_t, std::uint64_t>>
        m_oldFloors;  ///< CLOCK_MONOTONIC time and floor, oldest first
    std::uint64_t m_lateRecords = 0;
    std::uint64_t m_endSeenNs = 0;  ///< when it was first seen to have ended; 0 before
    bool m_engineWritten = false;
    bool m_isFinished = false;
};

}  // namespace vramscope::collector
