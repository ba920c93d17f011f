// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "collector/recorder/process_recorder.h"
#include "formats/capture_file.h"
#include "tests/collector/recorded_arena.h"
#include "tests/collector/torch_like_job.h"
#include "tests/formats/temporary_folder.h"

namespace vramscope::bench {

/// A job and its recorder in one thread, taking turns: a turn is as long as one of the recorder's, and
/// commits come as often as the recorder makes them. Says what the recorder's part costs.
class RecorderRig {
public:
    struct Cost {
        std::uint64_t events = 0;
        std::uint64_t resolveNs = 0;  ///< draining the ring, order, resolving, packing of full chunks
        std::uint64_t commitNs = 0;   ///< rows of buffers, packing of the rest, SQLite's commit
    };

    /// The capture lies in a folder of its own under the temporary folder.
    explicit RecorderRig(std::size_t liveBlocks = 2000, JobMix mix = {});
    ~RecorderRig();

    /// Records the next `count` events, which the job makes at two million a second.
    Cost record(std::size_t count);
    /// Events that the ring had no room for, or that the capture could not take.
    std::uint64_t lost() const { return m_process->lostEvents(); }
    const Status& status() const { return m_sink->status(); }
    std::uint64_t captureBytes() const;

private:
    void commit();

    formats::TemporaryFolder m_folder;
    tests::RecordedArena m_arena;
    formats::Connection m_connection;
    collector::TickClock m_clock;
    std::unique_ptr<collector::CaptureSink> m_sink;
    std::unique_ptr<collector::DeviceTable> m_devices;
    std::unique_ptr<collector::ProcessRecorder> m_process;
    TorchLikeJob m_job;
    std::uint64_t m_ticksPerTurn = 0;
    int m_turnsSinceCommit = 0;
};

}  // namespace vramscope::bench
