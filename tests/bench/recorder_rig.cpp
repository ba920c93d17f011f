// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/recorder_rig.h"

#include <stdexcept>
#include <utility>

#include "collector/inject/collector.h"
#include "collector/inject/stack_table.h"
#include "tests/bench/processor_time.h"

namespace vramscope::bench {

using collector::ArenaView;
using collector::CaptureSink;
using collector::DeviceTable;
using collector::ProcessRecorder;

namespace {

constexpr std::size_t kEventsPerTurn = 10'000;  // 5 ms, the recorder's pause, at two million a second
constexpr std::uint64_t kTurnNs = 5'000'000;
constexpr int kTurnsPerCommit = 20;
constexpr std::uint64_t kArenaBytes = 64 << 20;

template <typename T>
T must(StatusOr<T> result) {
    if (!result.isOk()) throw std::runtime_error(result.status().message());
    return std::move(result.value());
}

formats::ClockKind bestClock() {
    collector::g_hot.clockKind = collector::bestClock();
    collector::g_collector.config.clockKind = collector::g_hot.clockKind;
    return collector::g_hot.clockKind;
}

}  // namespace

RecorderRig::RecorderRig(std::size_t liveBlocks, JobMix mix)
    : m_arena(kArenaBytes),
      m_connection(must(formats::createCaptureForWriting(m_folder / "bench.vramscope", false))),
      m_clock(bestClock()),
      m_job(liveBlocks, mix) {
    if (!collector::prepareStackTable()) throw std::runtime_error("no memory for the stack table");
    m_sink = must(CaptureSink::open(m_connection, m_clock, formats::monotonicNs()));
    m_devices = std::make_unique<DeviceTable>(*m_sink);
    m_arena.start();
    m_process = std::make_unique<ProcessRecorder>(*m_sink, *m_devices, must(ArenaView::open(m_arena.file())),
                                                  m_sink->nextId("processes"), m_sink->nextId("tasks"));
    m_process->start();
    const std::uint64_t begin = formats::readTicks(m_clock.kind());
    const std::uint64_t beginNs = formats::monotonicNs();
    m_job.begin(begin);
    while (formats::monotonicNs() < beginNs + kTurnNs) {
    }
    m_ticksPerTurn = formats::readTicks(m_clock.kind()) - begin;
}

RecorderRig::~RecorderRig() = default;

RecorderRig::Cost RecorderRig::record(std::size_t count) {
    Cost cost;
    while (cost.events < count) {
        const std::uint64_t begin = formats::readTicks(m_clock.kind());
        m_job.write(kEventsPerTurn, begin, begin + m_ticksPerTurn);
        // Stamps must have passed before they can be resolved.
        while (formats::readTicks(m_clock.kind()) < begin + m_ticksPerTurn) {
        }
        const std::uint64_t before = threadNs();
        m_process->advance(m_clock.now());
        const std::uint64_t resolved = threadNs();
        cost.resolveNs += resolved - before;
        if (++m_turnsSinceCommit >= kTurnsPerCommit || m_process->needsCommit()) {
            commit();
            cost.commitNs += threadNs() - resolved;
        }
        cost.events += kEventsPerTurn;
    }
    return cost;
}

void RecorderRig::commit() {
    m_turnsSinceCommit = 0;
    m_process->writePositions();
    if (const Status status = m_sink->commit(); !status.isOk()) throw std::runtime_error(status.message());
    m_process->releaseCommitted();
}

std::uint64_t RecorderRig::captureBytes() const {
    return std::filesystem::file_size(m_folder / "bench.vramscope");
}

}  // namespace vramscope::bench
