// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "collector/recorder/arrival_watch.h"
#include "collector/recorder/container_root.h"
#include "collector/recorder/descriptor_table.h"
#include "collector/recorder/joined_jobs.h"
#include "collector/recorder/memory_sampler.h"
#include "collector/recorder/process_recorder.h"
#include "collector/recorder/session_directory.h"
#include "formats/sqlite.h"

namespace vramscope::collector {

struct RecorderOptions {
    std::filesystem::path capture;
    bool overwrite = false;
    std::string command;     ///< what is recorded, for the capture's first line
    std::string recordMode;  ///< allocs, launches or all
    formats::ClockKind clockKind = formats::ClockKind::Monotonic;
    std::vector<std::string> taskRules;  ///< --task-by, in order (parseTaskRule)
};

/// What a finished recording amounts to, for the closing summary.
struct RecorderSummary {
    std::size_t processCount = 0;
    std::uint64_t eventCount = 0;
    std::uint64_t lostCount = 0;
    std::uint64_t sessionNs = 0;
    std::vector<std::string> offReasons;  ///< why processes were not recorded to their end, each reason once
    Status status;                        ///< what went wrong with the capture, if anything
};

/// Records a session into a capture on a thread of its own, until told to stop.
class Recorder {
public:
    /// Creates the capture and starts the thread. `session` must outlive the recorder.
    static StatusOr<std::unique_ptr<Recorder>> start(const SessionDirectory& session,
                                                     const RecorderOptions& options);
    /// Finishes a session whose recorder was killed: goes on behind what the capture holds, drains what the
    /// rings still have, and seals the capture. Blocks until done.
    static StatusOr<RecorderSummary> recover(const SessionDirectory& session,
                                             void (*onProgress)(const std::string&));
    ~Recorder();

    /// A child of the launcher's own: its row waits for childEnded(), which knows more than the kernel tells
    /// others.
    void expectChild(std::uint32_t pid);
    void childEnded(std::uint32_t pid, const ProcessEnd& end);
    /// For the capture: our own job has ended, and jobs of other launchers still run.
    void ownJobEnded();

    /// Ends the session: waits up to 2 s for processes that outlive the root, marks those left as still
    /// running, finishes the capture as one file. Blocks until done; `onProgress` may be null and gets
    /// sentences for the terminal.
    RecorderSummary finish(void (*onProgress)(const std::string&));

private:
    Recorder(const SessionDirectory& session, formats::Connection connection, formats::ClockKind clockKind);

    Status prepare(const RecorderOptions& options);
    Status prepareRecovery();
    Status setTaskRules(const std::vector<std::string>& texts);
    void makeTables();
    Status adoptProcess(ArenaView arena);
    void runLoop();
    void stopThread();
    std::size_t tick();
    std::size_t guardedTick();
    StatusOr<std::optional<std::int64_t>> knownProcess(const formats::ArenaHeader& header);
    void finishBeforeExec(const formats::ArenaHeader& header);
    void findProcesses();
    void sampleMemory();
    void finishEnded();
    std::optional<ProcessEnd> endOf(ProcessRecorder& process);
    void retireFinished();
    void addToSummary(const ProcessRecorder& process);
    void commit();
    bool allFinished() const;
    void closeSession();
    Status sealCapture(void (*onProgress)(const std::string&));
    Status nameFunctions(void (*onProgress)(const std::string&), std::int64_t nowNs);
    void noteStop(const Status& reason);
    void forgetChild(std::uint32_t pid);

    const SessionDirectory& m_session;
    formats::Connection m_connection;
    TickClock m_clock;
    std::unique_ptr<CaptureSink> m_sink;
    std::unique_ptr<DeviceTable> m_devices;
    std::unique_ptr<MemorySampler> m_sampler;
    DescriptorTable m_descriptors;
    std::vector<std::unique_ptr<ProcessRecorder>> m_processes;
    RecorderSummary m_summary;  ///< of the processes that are finished and gone from m_processes
    std::map<std::int64_t, ContainerRoot> m_containerRoots;  ///< by process id (ours)
    std::set<std::filesystem::path> m_knownArenas;
    std::uint64_t m_startNs = 0;
    std::uint64_t m_lastCommitNs = 0;
    std::uint64_t m_eventCount = 0;
    bool m_failureTold = false;
    bool m_isRecovery = false;
    bool m_mayHaveArrived = true;  ///< a process whose ring was not seen yet
    ArrivalWatch m_arrivals;
    JoinedJobs m_joined;

    std::thread m_thread;
    std::atomic<bool> m_stop{false};
    std::atomic<bool> m_ownJobEnded{false};
    std::mutex m_childMutex;  ///< guards what follows: the launcher's thread writes it
    std::map<std::uint32_t, std::optional<ProcessEnd>> m_children;  ///< by pid; none while it lives
};

}  // namespace vramscope::collector
