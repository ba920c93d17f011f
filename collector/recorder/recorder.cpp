// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/recorder.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>
#include <signal.h>
#include <unistd.h>
#include <utility>

#include "collector/recorder/arrival_watch.h"
#include "collector/recorder/tell_user.h"
#include "formats/capture_file.h"

namespace vramscope::collector {

namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kCommitEveryNs = 100 * kMillisecond;
// More than a machine can have at once are somebody's nonsense.
constexpr std::size_t kMostMarksAtOnce = 1000;
constexpr auto kPause = std::chrono::milliseconds(5);
constexpr auto kLongPause = std::chrono::milliseconds(20);
/// Of a turn; so many in a long pause are far from filling the smallest ring.
constexpr std::size_t kFewRecords = 5000;
constexpr std::uint64_t kLookEveryNs = 100 * kMillisecond;

std::uint64_t nowOf(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}
using formats::monotonicNs;

std::string hostName() {
    char name[256] = "";
    ::gethostname(name, sizeof(name) - 1);
    return name;
}

// A thread of ours must not be picked for a signal that is meant for the launcher.
std::thread startWithoutSignals(std::function<void()> body) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread(std::move(body));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

}  // namespace

StatusOr<std::unique_ptr<Recorder>> Recorder::start(const SessionDirectory& session,
                                                    const RecorderOptions& options) {
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Connection connection,
                               formats::createCaptureForWriting(options.capture, options.overwrite));
    std::unique_ptr<Recorder> recorder(new Recorder(session, std::move(connection), options.clockKind));
    VRAMSCOPE_RETURN_IF_ERROR(recorder->prepare(options));
    recorder->m_thread = startWithoutSignals([self = recorder.get()] { self->runLoop(); });
    return recorder;
}

Recorder::Recorder(const SessionDirectory& session, formats::Connection connection,
                   formats::ClockKind clockKind)
    : m_session(session),
      m_connection(std::move(connection)),
      m_clock(clockKind),
      m_arrivals(session),
      m_joined(
          session,
          [this](std::uint32_t pid, const std::optional<ProcessEnd>& end) {
              end ? childEnded(pid, *end) : expectChild(pid);
          },
          [this](std::uint32_t pid) { forgetChild(pid); }) {}

Recorder::~Recorder() {
    stopThread();
}

void Recorder::stopThread() {
    m_stop.store(true, std::memory_order_release);
    m_arrivals.wake();
    if (m_thread.joinable()) m_thread.join();
}

Status Recorder::prepare(const RecorderOptions& options) {
    m_startNs = monotonicNs();
    VRAMSCOPE_ASSIGN_OR_RETURN(m_sink, CaptureSink::open(m_connection, m_clock, m_startNs));
    makeTables();
    const auto meta = [this](const char* key, const std::string& value) {
        m_sink->run("INSERT INTO meta(key, value) VALUES(?, ?)", key, value);
    };
    meta("created_by", "vramscope " VRAMSCOPE_VERSION);
    meta("state", "recording");
    meta("clock_id", "CLOCK_MONOTONIC");
    meta("clock_kind", m_clock.kind() == formats::ClockKind::Counter ? "counter" : "monotonic");
    meta("session_start_monotonic_ns", std::to_string(m_startNs));
    meta("session_start_realtime_ns", std::to_string(nowOf(CLOCK_REALTIME)));
    meta("command", options.command);
    meta("record_mode", options.recordMode);
    meta("host", hostName());
    for (std::size_t i = 0; i < options.taskRules.size(); ++i)
        m_sink->run("INSERT INTO meta(key, value) VALUES(?, ?)", "task_by." + std::to_string(i + 1),
                    options.taskRules[i]);
    VRAMSCOPE_RETURN_IF_ERROR(setTaskRules(options.taskRules));
    VRAMSCOPE_RETURN_IF_ERROR(m_sink->commit());
    return m_session.writeCapturePath(options.capture);
}

Status Recorder::setTaskRules(const std::vector<std::string>& texts) {
    std::vector<TaskRule> rules;
    for (const std::string& text : texts) {
        VRAMSCOPE_ASSIGN_OR_RETURN(TaskRule rule, parseTaskRule(text));
        rules.push_back(std::move(rule));
    }
    m_sink->tasks().setRules(std::move(rules));
    return Status::ok();
}

void Recorder::makeTables() {
    m_devices = std::make_unique<DeviceTable>(*m_sink);
    m_sampler = std::make_unique<MemorySampler>(*m_sink, *m_devices);
}

Status Recorder::prepareRecovery() {
    m_isRecovery = true;
    VRAMSCOPE_ASSIGN_OR_RETURN(
        const std::optional<std::string> start,
        m_connection.queryText("SELECT value FROM meta WHERE key='session_start_monotonic_ns'"));
    if (!start)
        return {ErrorKind::Unreadable, m_connection.name() + ": it does not say when its session began."};
    m_startNs = std::strtoull(start->c_str(), nullptr, 10);
    VRAMSCOPE_ASSIGN_OR_RETURN(m_sink, CaptureSink::open(m_connection, m_clock, m_startNs));
    makeTables();
    VRAMSCOPE_RETURN_IF_ERROR(m_sink->tasks().restore(m_connection));
    std::vector<std::string> rules;
    for (;;) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const std::optional<std::string> rule,
                                   m_connection.queryText("SELECT value FROM meta WHERE key='task_by." +
                                                          std::to_string(rules.size() + 1) + "'"));
        if (!rule) break;
        rules.push_back(*rule);
    }
    VRAMSCOPE_RETURN_IF_ERROR(setTaskRules(rules));
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Statement devices,
                               m_connection.prepare("SELECT device_id, uuid FROM devices"));
    for (;;) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, devices.step());
        if (!hasRow) return Status::ok();
        m_devices->restore(devices.columnInt(0), std::string(devices.columnText(1)));
    }
}

StatusOr<RecorderSummary> Recorder::recover(const SessionDirectory& session,
                                            void (*onProgress)(const std::string&)) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const std::filesystem::path capture, session.readCapturePath());
    VRAMSCOPE_ASSIGN_OR_RETURN(formats::Connection connection, formats::openCaptureForRecovery(capture));
    VRAMSCOPE_ASSIGN_OR_RETURN(const std::optional<std::string> clock,
                               connection.queryText("SELECT value FROM meta WHERE key='clock_kind'"));
    const bool isCounter = clock == "counter";
    Recorder recorder(session, std::move(connection),
                      isCounter ? formats::ClockKind::Counter : formats::ClockKind::Monotonic);
    VRAMSCOPE_RETURN_IF_ERROR(recorder.prepareRecovery());
    return recorder.finish(onProgress);
}

// What a wake-up costs is taken from the job where it has no processor to spare. So a job that leaves the
// ring nearly empty is looked at fifty times a second, and the folders are listed when something has arrived
// in them.
void Recorder::runLoop() {
    std::uint64_t lastLookNs = 0;
    while (!m_stop.load(std::memory_order_acquire)) {
        // The kernel's notices can be lost.
        m_mayHaveArrived = m_mayHaveArrived || monotonicNs() >= lastLookNs + kLookEveryNs;
        if (m_mayHaveArrived) lastLookNs = monotonicNs();
        const std::size_t resolved = guardedTick();
        // A burst is followed up at once.
        const bool isBusy = std::any_of(m_processes.begin(), m_processes.end(),
                                        [](const auto& p) { return p->needsCommit(); });
        const bool isFollowedUp = resolved > 0 && isBusy;
        const bool isQuiet = resolved < kFewRecords;
        m_mayHaveArrived = m_arrivals.wait(isFollowedUp ? std::chrono::milliseconds(0)
                                           : isQuiet    ? kLongPause
                                                        : kPause);
    }
    m_mayHaveArrived = true;
}

// The recorder shares the launcher's process, and with it the job's exit status: whatever goes wrong here
// must not end it.
std::size_t Recorder::guardedTick() {
    try {
        return tick();
    } catch (const std::exception& error) {
        m_sink->note({ErrorKind::Internal, std::string("the recorder failed: ") + error.what() + "."});
        return 0;
    }
}

std::size_t Recorder::tick() {
    // Before anything is looked at: what is resolved in this turn is older than this stamp.
    const std::uint64_t nowTicks = m_clock.now();
    if (m_mayHaveArrived) {
        m_joined.look(*m_sink, nowTicks);
        findProcesses();
    }
    if (m_ownJobEnded.exchange(false))
        m_sink->addNote(nowTicks, 0, "info", "own-job-ended",
                        "The first job has ended; the recording goes on for the jobs that joined it.");
    std::size_t resolved = 0;
    bool commitEarly = false;
    for (auto& process : m_processes) {
        if (process->isFinished()) continue;
        resolved += process->advance(nowTicks);
        commitEarly = commitEarly || process->needsCommit();
    }
    m_eventCount += resolved;
    sampleMemory();
    finishEnded();
    if (commitEarly || monotonicNs() >= m_lastCommitNs + kCommitEveryNs) commit();
    retireFinished();
    return resolved;
}

void Recorder::findProcesses() {
    std::vector<ArenaView> found;
    std::vector<std::filesystem::path> paths = m_session.arenas();
    const std::size_t arenaCount = paths.size();
    for (const std::filesystem::path& mark : m_session.leftMarks()) {
        if (paths.size() < arenaCount + kMostMarksAtOnce) paths.push_back(mark);
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const std::filesystem::path& path = paths[i];
        if (!m_knownArenas.insert(path).second) continue;
        StatusOr<ArenaView> arena = i < arenaCount ? ArenaView::open(path) : ArenaView::openMark(path);
        if (arena.isOk()) {
            found.push_back(std::move(arena.value()));
        } else {
            m_sink->addNote(m_clock.now(), 0, "warning", "arena-unreadable", arena.status().message());
        }
    }
    // In the order in which they began: a program that a process execs comes after the one it was.
    std::sort(found.begin(), found.end(), [](const ArenaView& a, const ArenaView& b) {
        return a.header().attachTicks < b.header().attachTicks;
    });
    for (ArenaView& arena : found)
        m_sink->note(adoptProcess(std::move(arena)));
}

// One pid can have several arenas: a program that execs after using CUDA begins anew. They differ in when
// they began.
StatusOr<std::optional<std::int64_t>> Recorder::knownProcess(const formats::ArenaHeader& header) {
    constexpr std::int64_t kSameStartNs = 20'000'000;
    return m_connection.queryInt(fmt::format(
        "SELECT process_id FROM processes WHERE end_kind IS NULL AND pid={} AND abs(start_ns - ({})) < {} "
        "ORDER BY abs(start_ns - ({})) LIMIT 1",
        header.pid, m_sink->sessionTime(header.attachTicks), kSameStartNs,
        m_sink->sessionTime(header.attachTicks)));
}

// The same process under a new program: what the old one held went with it.
void Recorder::finishBeforeExec(const formats::ArenaHeader& header) {
    for (auto& process : m_processes) {
        // A mark's word is not enough to end a recording: any user can leave one.
        if (header.laneCount == 0 || process->isFinished() || !process->wasExecedInto(header)) continue;
        m_eventCount += process->finish(m_clock.now(), {}, ProcessRecorder::Closing::Execed);
        ::unlink(process->arenaPath().c_str());
    }
}

Status Recorder::adoptProcess(ArenaView arena) {
    const formats::ArenaHeader& header = arena.header();
    m_clock.addOldNote(header.attachTicks, header.attachMonotonicNs);
    finishBeforeExec(header);
    std::optional<std::int64_t> known;
    std::optional<std::int64_t> task;
    if (m_isRecovery) {
        VRAMSCOPE_ASSIGN_OR_RETURN(known, knownProcess(header));
        if (known) {
            VRAMSCOPE_ASSIGN_OR_RETURN(
                task,
                m_connection.queryInt("SELECT task_id FROM tasks WHERE origin='process' AND process_id=" +
                                      std::to_string(*known)));
        }
    }
    const std::int64_t processId = known ? *known : m_sink->nextId("processes");
    const std::string job(header.job, ::strnlen(header.job, sizeof(header.job)));
    const std::int64_t taskId = !job.empty() ? m_sink->tasks().shared(job, "job")
                                : task       ? *task
                                             : m_sink->nextId("tasks");
    const std::uint64_t startTicks = header.startTicks;
    auto process =
        std::make_unique<ProcessRecorder>(*m_sink, *m_devices, std::move(arena), processId, taskId);
    if (std::optional<ContainerRoot> root = ContainerRoot::of(process->pid(), startTicks))
        m_containerRoots.emplace(processId, std::move(*root));
    process->useDescriptors(m_descriptors);
    if (known) {
        VRAMSCOPE_RETURN_IF_ERROR(process->resume(m_connection));
    } else {
        process->start();
    }
    m_processes.push_back(std::move(process));
    return Status::ok();
}

void Recorder::sampleMemory() {
    std::map<std::int64_t, std::int64_t> running;
    for (const auto& process : m_processes) {
        if (!process->isFinished()) running.emplace(process->pid(), process->processId());
    }
    // A job that never touches CUDA is no reason to start NVML.
    if (!running.empty()) m_sampler->sampleIfDue(m_clock, running);
}

void Recorder::finishEnded() {
    for (auto& process : m_processes) {
        if (process->isFinished() || !process->hasEnded()) continue;
        const std::optional<ProcessEnd> end = endOf(*process);
        if (!end) continue;
        // Read now, not at the start of the turn: it died since, and lived until then.
        m_eventCount += process->finish(m_clock.now(), *end, ProcessRecorder::Closing::Ended);
        commit();
        // Its ring is drained into the capture; the file has served its purpose.
        ::unlink(process->arenaPath().c_str());
    }
}

// Of its own child the launcher knows best: it has waited for it.
std::optional<ProcessEnd> Recorder::endOf(ProcessRecorder& process) {
    const std::lock_guard lock(m_childMutex);
    const auto child = m_children.find(process.pid());
    return child != m_children.end() ? child->second : process.howItEnded();
}

// A process that has ended keeps its ring, whose file is gone, and its tables in memory until here. A job may
// start thousands.
void Recorder::retireFinished() {
    std::erase_if(m_processes, [this](const auto& process) {
        if (!process->isFinished()) return false;
        addToSummary(*process);
        m_knownArenas.erase(process->arenaPath());
        m_descriptors.processEnded(process->pid());
        return true;
    });
}

void Recorder::addToSummary(const ProcessRecorder& process) {
    ++m_summary.processCount;
    m_summary.lostCount += process.lostEvents();
    const std::string reason(process.offReason());
    std::vector<std::string>& reasons = m_summary.offReasons;
    const bool isNew = std::find(reasons.begin(), reasons.end(), reason) == reasons.end();
    if (!reason.empty() && isNew) reasons.push_back(reason);
}

void Recorder::commit() {
    m_lastCommitNs = monotonicNs();
    for (auto& process : m_processes)
        process->writePositions();
    const Status status = m_sink->commit();
    if (!status.isOk() && !m_failureTold) {
        m_failureTold = true;
        tellUser(
            "vramscope: recording stopped: {}\n  The job runs on. What was recorded so far can be read.\n",
            status.message());
    }
    for (auto& process : m_processes)
        process->releaseCommitted();
}

void Recorder::expectChild(std::uint32_t pid) {
    const std::lock_guard lock(m_childMutex);
    m_children.try_emplace(pid);
}

void Recorder::childEnded(std::uint32_t pid, const ProcessEnd& end) {
    {
        const std::lock_guard lock(m_childMutex);
        m_children[pid] = end;
    }
    m_arrivals.wake();
}

void Recorder::forgetChild(std::uint32_t pid) {
    const std::lock_guard lock(m_childMutex);
    m_children.erase(pid);
}

void Recorder::ownJobEnded() {
    m_ownJobEnded.store(true);
}

bool Recorder::allFinished() const {
    return std::all_of(m_processes.begin(), m_processes.end(), [](const auto& p) { return p->isFinished(); });
}

}  // namespace vramscope::collector
