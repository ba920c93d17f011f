// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/completeness.h"

#include <fmt/format.h>

#include "analyzer/model/units.h"

namespace vramscope::model {
namespace {

/// Losses that cannot hide an allocation or a free: a stack or a text was shortened, the record itself is
/// there.
bool losesOnlyDetail(std::string_view reason) {
    return reason == "stack-table-full" || reason == "text-too-long";
}

std::string_view noun(std::string_view reason) {
    if (reason == "stack-table-full") return "stack";
    return reason == "text-too-long" ? "text" : "record";
}

void addEnd(const Capture& capture, Completeness& result) {
    const std::string_view state = capture.fact("state");
    result.isRecovered = state == "recovered";
    result.isFinished = state == "complete" || result.isRecovered;
    result.allocationsAreWhole = result.isFinished;
    result.workIsWhole = result.isFinished;
    if (result.isFinished) return;
    std::string_view reason = capture.fact("stopped_because");
    while (!reason.empty() && reason.back() == '.')
        reason.remove_suffix(1);
    std::string stop = fmt::format("recording stopped at {}", momentText(capture.endNs));
    if (!reason.empty()) stop += fmt::format(": {}", reason);
    result.shortGaps.push_back(stop);
    result.gaps.push_back(
        !reason.empty() ? fmt::format("Recording stopped at {}: {}. What came after is missing.",
                                      momentText(capture.endNs), reason)
                        : fmt::format("Recording stopped at {} without being finished. `vramscope recover` "
                                      "finishes it if the session still exists.",
                                      momentText(capture.endNs)));
}

void addLosses(const Capture& capture, Completeness& result) {
    for (const Drop& drop : capture.drops) {
        if (drop.lostCount <= 0) continue;
        const Process* process = capture.processes.find(drop.processId);
        const std::string who = process ? fmt::format("pid {}", process->pid) : "an unknown process";
        if (drop.reason == "launch-unseen") {
            result.gaps.push_back(fmt::format(
                "{} launched kernels in a way that was noticed late: some launches may be missing. Recording "
                "with --no-launch-hooks has them all.",
                who));
            result.shortGaps.push_back(fmt::format("launches of {} may be missing", who));
            result.workIsWhole = false;
            continue;
        }
        const std::string what = countOf(drop.lostCount, noun(drop.reason));
        result.gaps.push_back(fmt::format("{} lost {} ({}).", who, what, drop.reason));
        if (drop.reason == "stack-table-full") result.stacksAreWhole = false;
        if (losesOnlyDetail(drop.reason)) {
            result.shortGaps.push_back(fmt::format("{} lost", what));
            continue;
        }
        result.lostCount = addClamped(result.lostCount, drop.lostCount);
        result.allocationsAreWhole = false;
        result.workIsWhole = false;
    }
    if (result.lostCount > 0)
        result.shortGaps.push_back(fmt::format("{} lost", countOf(result.lostCount, "record")));
}

void addBlindProcesses(const Capture& capture, Completeness& result) {
    for (const Process& process : capture.processes) {
        if (process.offReason.empty()) continue;
        result.gaps.push_back(
            fmt::format("pid {} was not recorded to its end: {}", process.pid, process.offReason));
        result.shortGaps.push_back(fmt::format("pid {} not recorded to its end", process.pid));
        result.allocationsAreWhole = false;
        result.workIsWhole = false;
    }
}

void addWindow(const Capture& capture, Completeness& result) {
    if (capture.droppedByWindow <= 0) return;
    const std::string count = countText(capture.droppedByWindow);
    result.gaps.push_back(
        fmt::format("{} launches, copies, sets and synchronisations before the window of --keep were let "
                    "go. Allocations and frees are all there.",
                    count));
    result.shortGaps.push_back(fmt::format("{} launches and copies let go by --keep", count));
    result.workIsWhole = false;
}

}  // namespace

Completeness completenessOf(const Capture& capture) {
    Completeness result;
    addEnd(capture, result);
    addLosses(capture, result);
    addBlindProcesses(capture, result);
    addWindow(capture, result);
    return result;
}

std::string Completeness::oneLine() const {
    const std::string lost =
        lostCount == 0 ? "none lost" : fmt::format("{} lost", countOf(lostCount, "record"));
    // Of what was written none may be lost, and still it is not all.
    if (!isFinished) return lostCount == 0 ? "not finished" : fmt::format("not finished, {}", lost);
    if (!isRecovered && lostCount == 0 && !allocationsAreWhole) return "not all recorded, none lost";
    return fmt::format("{}, {}", isRecovered ? "recovered" : "complete", lost);
}

std::string Completeness::caveat() const {
    if (isWhole()) return "";
    std::string text = " in what was recorded";
    for (const std::string& gap : shortGaps)
        text += fmt::format("; {}", gap);
    return text;
}

}  // namespace vramscope::model
