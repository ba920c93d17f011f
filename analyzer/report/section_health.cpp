// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/model/completeness.h"
#include "analyzer/model/job_ending.h"
#include "analyzer/model/pooled_buffers.h"
#include "analyzer/model/stack_text.h"
#include "analyzer/model/units.h"
#include "analyzer/report/exception_text.h"
#include "analyzer/report/report_text.h"

namespace vramscope::report {
namespace {

std::string processText(const model::Process& process) {
    std::string text = fmt::format("pid {}", process.pid);
    if (process.rank) text += fmt::format(" (rank {})", *process.rank);
    return text;
}

}  // namespace

std::vector<std::string> endingsTold(const model::Capture& capture) {
    std::vector<std::string> lines;
    for (const model::Process& p : capture.processes) {
        const std::string when =
            p.endNs == model::kNever ? "" : fmt::format(" at {}", model::momentText(p.endNs));
        const model::JobException* exception = model::lastExceptionOf(capture, p.id);
        if (exception && p.endKind == "exited" && p.exitCode.value_or(0) != 0) {
            lines.push_back(fmt::format("{} ended with {}, code {}{}.", whoText(capture, p),
                                        exceptionText(*exception), *p.exitCode, when));
            continue;
        }
        if (exception)
            lines.push_back(fmt::format("{} met {}.", whoText(capture, p), exceptionText(*exception)));
        if (p.endKind == "killed") {
            lines.push_back(
                p.exitSignal
                    ? fmt::format("{} was killed by signal {}{}; this is what it held then.", processText(p),
                                  *p.exitSignal, when)
                    : fmt::format("{} was killed{}; this is what it held then.", processText(p), when));
        } else if (p.endKind == "vanished") {
            lines.push_back(fmt::format("{} ended{}, nobody could say how.", processText(p), when));
        } else if (p.endKind == "execed") {
            lines.push_back(fmt::format("{} became another program{}.", processText(p), when));
        } else if (p.endKind == "running") {
            lines.push_back(fmt::format("{} was still running when recording ended.", processText(p)));
        } else if (p.exitCode.value_or(0) != 0) {
            lines.push_back(fmt::format("{} ended with code {}{}.", processText(p), *p.exitCode, when));
        }
    }
    return lines;
}

std::string failuresSection(const model::Capture& capture, const ReportOptions& options) {
    std::string text;
    std::size_t shown = 0;
    for (const model::FailedCall& call : capture.failedCalls) {
        if (++shown > options.top) continue;
        std::string what;
        if (call.family == "alloc" || call.family == "heap")
            what = fmt::format(" for {}", model::bytesText(call.sizeBytes));
        const std::string times =
            call.repeatCount == 1 ? "" : fmt::format(", {} times", model::countText(call.repeatCount));
        text += fmt::format(
            "  {:>9}  {}{}: {}{}  {}\n", model::momentText(call.enterNs), printable(call.api), what,
            call.family == "heap" ? std::string("no room in the heap") : printable(call.errorName), times,
            printable(cut(shortPlace(capture, call.stackId), 60)));
    }
    if (text.empty()) return "";
    if (shown > options.top)
        text += fmt::format("  {} more; --top {} shows them.\n", shown - options.top, shown);
    return fmt::format("{}\n\n{}\n", options.style.heading("CALLS THAT FAILED"), text);
}

std::string healthSection(const model::Capture& capture, const ReportOptions& options) {
    const model::Completeness completeness = completenessOf(capture);
    std::int64_t events = 0;
    for (const model::EventCount& count : capture.eventCounts)
        events = model::addClamped(events, count.eventCount);
    std::string text =
        fmt::format("{}   {}\n\n", options.style.heading("HOW COMPLETE THIS IS"), completeness.oneLine());
    text += fmt::format(
        "  {} recorded in {}.\n", model::countOf(events, "event"),
        model::countOf(static_cast<std::int64_t>(capture.processes.size()), "process", "processes"));
    for (const std::string& gap : completeness.gaps)
        text += fmt::format("  {}\n", printable(gap));
    // Of a record with gaps it goes without saying.
    if (completeness.isWhole() && !capture.ordering.isJudged)
        text += fmt::format("  {}\n", printable(capture.ordering.whyNot));
    if (const model::PooledBuffers pooled = buffersSkippedByOwnership(capture); !pooled.ids.empty()) {
        text += wrapped("  ",
                        fmt::format("Rules about owners passed over {} in {}, which an allocator above CUDA "
                                    "cuts into pieces: whose they are was not recorded.",
                                    model::bytesText(pooled.bytes),
                                    model::countOf(static_cast<std::int64_t>(pooled.ids.size()), "buffer")));
    }
    for (const model::Note& note : capture.notes) {
        text += fmt::format("  {} {}\n",
                            note.severity == "info" ? "note:" : fmt::format("{}:", printable(note.severity)),
                            printable(note.message));
    }
    return text;
}

}  // namespace vramscope::report
