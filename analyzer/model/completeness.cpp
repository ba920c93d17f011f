// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/completeness.h"

#include <fmt/format.h>

namespace vramscope::model {
namespace {

/// Losses that cannot hide an allocation or a free: a stack or a text was shortened, the record itself is
/// there.
bool losesOnlyDetail(std::string_view reason) {
    return reason == "stack-table-full" || reason == "text-too-long";
}

void addLosses(const Capture& capture, Completeness& result) {
    for (const Drop& drop : capture.drops) {
        if (drop.lostCount <= 0) continue;
        const Process* process = capture.processes.find(drop.processId);
        const std::string who = process ? fmt::format("pid {}", process->pid) : "an unknown process";
        result.gaps.push_back(fmt::format("{} lost {} records ({}).", who, drop.lostCount, drop.reason));
        if (losesOnlyDetail(drop.reason)) continue;
        result.lostCount = addClamped(result.lostCount, drop.lostCount);
        result.allocationsAreWhole = false;
        result.workIsWhole = false;
    }
}

void addBlindProcesses(const Capture& capture, Completeness& result) {
    for (const Process& process : capture.processes) {
        if (process.offReason.empty()) continue;
        result.gaps.push_back(fmt::format("pid {} was not recorded: {}", process.pid, process.offReason));
        result.allocationsAreWhole = false;
        result.workIsWhole = false;
    }
}

}  // namespace

Completeness completenessOf(const Capture& capture) {
    Completeness result;
    const std::string_view state = capture.fact("state");
    result.isRecovered = state == "recovered";
    result.isFinished = state == "complete" || result.isRecovered;
    result.allocationsAreWhole = result.isFinished;
    result.workIsWhole = result.isFinished;
    if (!result.isFinished) {
        result.gaps.push_back(
            "Recording was not finished, so the last moments may be missing. `vramscope recover` finishes it "
            "if the session still exists.");
    }
    addLosses(capture, result);
    addBlindProcesses(capture, result);
    if (capture.droppedByWindow > 0) {
        result.gaps.push_back(
            fmt::format("{} launches, copies, sets and synchronisations before the window of "
                        "--keep were let go. Allocations and frees are all there.",
                        capture.droppedByWindow));
        result.workIsWhole = false;
    }
    return result;
}

std::string Completeness::oneLine() const {
    std::string text = !isFinished ? "not finished" : isRecovered ? "recovered" : "complete";
    text += lostCount == 0 ? ", none lost" : fmt::format(", {} records lost", lostCount);
    return text;
}

}  // namespace vramscope::model
