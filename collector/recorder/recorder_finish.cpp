// SPDX-License-Identifier: Apache-2.0

// The end of a session: the last records, the names of functions, and the capture as one file.

#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <utility>

#include "collector/levels/live_levels.h"
#include "collector/recorder/recorder.h"
#include "collector/recorder/share_links.h"
#include "collector/symbols/symbolise_capture.h"
#include "formats/capture_file.h"

namespace vramscope::collector {

namespace {

using formats::monotonicNs;

constexpr std::uint64_t kSurvivorGraceNs = 2'000'000'000;
constexpr auto kPause = std::chrono::milliseconds(5);

}  // namespace

void Recorder::closeSession() {
    stopThread();
    const std::uint64_t deadline = monotonicNs() + kSurvivorGraceNs;
    tick();
    while (!allFinished() && monotonicNs() < deadline) {
        std::this_thread::sleep_for(kPause);
        tick();
    }
    for (auto& process : m_processes) {
        m_eventCount += process->finish(
            m_clock.now(), {},
            process->hasEnded() ? ProcessRecorder::Closing::Ended : ProcessRecorder::Closing::StillRunning);
    }
    // Only in a recovery: a process whose ring is gone too ended together with the recorder, and nobody saw
    // how.
    m_sink->run("UPDATE processes SET end_kind='vanished' WHERE end_kind IS NULL");
    m_sink->run("INSERT OR REPLACE INTO meta(key, value) VALUES('session_end_ns', ?)",
                std::to_string(m_sink->sessionTime(m_clock.now())));
    commit();
}

// What kept functions from getting names is said in the capture, where a reader misses them.
Status Recorder::nameFunctions(void (*onProgress)(const std::string&), std::int64_t nowNs) {
    const auto onFrames = [onProgress](const symbols::SymboliseProgress& progress) {
        if (onProgress != nullptr) {
            onProgress(fmt::format("naming functions, {} of {}", progress.doneFrames, progress.totalFrames));
        }
        return true;
    };
    symbols::ProcessRoots roots;
    for (const auto& [processId, root] : m_containerRoots)
        roots.emplace(processId, root.path());
    VRAMSCOPE_ASSIGN_OR_RETURN(
        const symbols::SymboliseSummary names,
        symbols::symboliseCapture(m_connection, symbols::SymbolizerOptions{}, onFrames, roots));
    VRAMSCOPE_ASSIGN_OR_RETURN(
        formats::Statement note,
        m_connection.prepare("INSERT INTO notes(time_ns, severity, code, message) VALUES(?,?,?,?)"));
    for (const symbols::SymboliseNote& entry : symbols::notesOf(names))
        VRAMSCOPE_RETURN_IF_ERROR(note.runWith(nowNs, "warning", entry.code, entry.message));
    return Status::ok();
}

Status Recorder::sealCapture(void (*onProgress)(const std::string&)) {
    const std::int64_t nowNs = m_sink->sessionTime(m_clock.now());
    m_sink.reset();
    if (m_connection.inTransaction()) VRAMSCOPE_RETURN_IF_ERROR(m_connection.exec("COMMIT"));
    VRAMSCOPE_RETURN_IF_ERROR(nameFunctions(onProgress, nowNs));
    VRAMSCOPE_RETURN_IF_ERROR(linkShares(m_connection));
    VRAMSCOPE_RETURN_IF_ERROR(levels::buildLiveLevels(m_connection));
    VRAMSCOPE_RETURN_IF_ERROR(m_connection.exec(m_isRecovery
                                                    ? "UPDATE meta SET value='recovered' WHERE key='state'"
                                                    : "UPDATE meta SET value='complete' WHERE key='state'"));
    return formats::finishCapture(m_connection);
}

// On a full disk one row often still fits where a whole transaction did not: the side file keeps the room of
// what was rolled back. If it does not fit, the capture still says that it was not finished.
void Recorder::noteStop(const Status& reason) {
    m_sink.reset();
    if (m_connection.inTransaction()) static_cast<void>(m_connection.exec("ROLLBACK"));
    auto insert =
        m_connection.prepare("INSERT OR REPLACE INTO meta(key, value) VALUES('stopped_because', ?)");
    // The file's name, which its readers know.
    std::string text = reason.message();
    if (const std::string name = m_connection.name() + ": "; text.starts_with(name))
        text.erase(0, name.size());
    if (insert.isOk()) static_cast<void>(insert->runWith(text));
}

RecorderSummary Recorder::finish(void (*onProgress)(const std::string&)) {
    closeSession();
    for (const auto& process : m_processes)
        addToSummary(*process);
    RecorderSummary summary = std::move(m_summary);
    summary.eventCount = m_eventCount;
    summary.sessionNs = monotonicNs() - m_startNs;
    summary.status = m_sink->status();
    m_processes.clear();
    m_sampler.reset();
    m_devices.reset();
    if (summary.status.isOk())
        summary.status = sealCapture(onProgress);
    else
        noteStop(summary.status);
    return summary;
}

}  // namespace vramscope::collector
