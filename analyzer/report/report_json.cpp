// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_json.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analyzer/model/breakdown.h"
#include "analyzer/model/completeness.h"
#include "analyzer/model/ledger.h"
#include "analyzer/model/live_timeline.h"
#include "analyzer/model/pooled_buffers.h"
#include "analyzer/model/stack_text.h"

namespace vramscope::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFramesListed = 64;
constexpr std::size_t kBuffersListed = 1000;

Json sharesJson(const std::vector<model::Share>& shares, std::size_t most) {
    Json list = Json::array();
    for (std::size_t i = 0; i < std::min(shares.size(), most); ++i) {
        list.push_back(
            {{"label", shares[i].label}, {"bytes", shares[i].bytes}, {"buffers", shares[i].bufferCount}});
    }
    return list;
}

template <typename SharesBy>
Json splitsJson(const ReportOptions& options, SharesBy sharesBy) {
    Json splits = Json::object();
    for (const model::SplitBy split : options.splits) {
        splits[std::string(name(split))] = sharesJson(sharesBy(split), options.top);
    }
    return splits;
}

Json stackJson(const model::Capture& capture, const detectors::LabelledStack& stack) {
    Json frames = Json::array();
    for (const model::FrameText& frame : readableFrames(capture, stack.stack, kFramesListed)) {
        frames.push_back({{"function", frame.function}, {"place", frame.place}});
    }
    return {{"label", stack.label}, {"frames", frames}};
}

Json ledgersJson(const model::Capture& capture) {
    Json list = Json::array();
    for (const model::Ledger& l : ledgersAtPeak(capture)) {
        const model::Device* device = capture.devices.find(l.deviceId);
        list.push_back({{"device", device ? device->uuid : ""},
                        {"time_ns", l.timeNs},
                        {"driver_reports_bytes", l.reportedBytes},
                        {"is_whole_device", l.isWholeDevice},
                        {"live_bytes", l.tracked.live},
                        {"pool_unused_bytes", l.tracked.poolUnused},
                        {"rounding_bytes", l.tracked.rounding},
                        {"context_and_modules_bytes", l.cost.contextBytes},
                        {"code_loaded_later_bytes", l.cost.laterBytes},
                        {"starting_processes_bytes", l.cost.startingBytes},
                        {"ours_bytes", l.tracked.ours},
                        {"not_accounted_bytes", l.notAccountedBytes},
                        {"other_processes_bytes", l.othersBytes ? Json(*l.othersBytes) : Json()},
                        {"free_bytes", l.freeBytes},
                        {"total_bytes", l.totalBytes}});
    }
    return list;
}

Json exceptionsJson(const model::Capture& capture, model::ProcessId process) {
    Json list = Json::array();
    for (const model::JobException& e : capture.jobExceptions) {
        if (e.processId != process) continue;
        list.push_back({{"type", e.type},
                        {"time_ns", e.timeNs},
                        {"file", e.file},
                        {"line", e.line},
                        {"script_file", e.scriptFile},
                        {"script_line", e.scriptLine},
                        {"count", e.repeatCount}});
    }
    return list;
}

Json processesJson(const model::Capture& capture) {
    Json list = Json::array();
    for (const model::Process& p : capture.processes) {
        list.push_back({{"pid", p.pid},
                        {"executable", p.executable},
                        {"end", p.endKind},
                        {"exit_code", p.exitCode ? Json(*p.exitCode) : Json()},
                        {"exit_signal", p.exitSignal ? Json(*p.exitSignal) : Json()},
                        {"rank", p.rank ? Json(*p.rank) : Json()},
                        {"uncaught_exceptions", exceptionsJson(capture, p.id)}});
    }
    return list;
}

Json completenessJson(const model::Capture& capture) {
    const model::Completeness c = completenessOf(capture);
    return {{"finished", c.isFinished},
            {"recovered", c.isRecovered},
            {"lost_records", c.lostCount},
            {"allocations_are_whole", c.allocationsAreWhole},
            {"gaps", c.gaps}};
}

Json devicesJson(const model::Capture& capture) {
    Json list = Json::array();
    for (const model::Device& d : capture.devices) {
        list.push_back({{"uuid", d.uuid},
                        {"name", d.name},
                        {"total_bytes", d.totalBytes},
                        {"driver_version", d.driverVersion}});
    }
    return list;
}

std::string_view verdictName(Verdict verdict) {
    switch (verdict) {
        case Verdict::Fails:
            return "fail";
        case Verdict::Known:
            return "known";
        case Verdict::Warns:
            return "warn";
        case Verdict::Note:
            return "note";
    }
    return "";
}

/// What rules about owners passed over.
Json skippedJson(const model::Capture& capture) {
    const model::PooledBuffers pooled = buffersSkippedByOwnership(capture);
    return {{"buffers", pooled.ids.size()}, {"bytes", pooled.bytes}};
}

/// What a policy allowed; null without one.
Json policyJson(const std::optional<PolicyCount>& allowed) {
    if (!allowed) return nullptr;
    return {{"file", allowed->file},
            {"uses", allowed->uses},
            {"used_lines", allowed->usedLines},
            {"lines", allowed->lines}};
}

}  // namespace

Json findingJson(const model::Capture& capture, const detectors::Finding& f) {
    Json stacks = Json::array();
    for (const detectors::LabelledStack& stack : f.stacks)
        stacks.push_back(stackJson(capture, stack));
    Json buffers = Json::array();
    for (std::size_t i = 0; i < std::min(f.buffers.size(), kBuffersListed); ++i) {
        const model::Buffer* b = capture.buffers.find(f.buffers[i]);
        if (b)
            buffers.push_back(fmt::format("b{:x}.{}", static_cast<std::uint64_t>(b->address), b->generation));
    }
    const Json ending = f.ending ? Json{{"time_ns", f.ending->timeNs}, {"text", f.ending->sentence}} : Json();
    return {{"rule", f.rule},
            {"class", name(f.findingClass)},
            {"confidence", name(f.confidence)},
            {"is_problem", isProblem(f.findingClass)},
            {"headline", f.headline},
            {"sentence", f.sentence},
            {"evidence", f.evidence},
            {"ended_with", ending},
            {"would_prove_wrong", f.wouldProveWrong},
            {"would_make_sure", f.wouldMakeSure},
            {"bytes", f.bytes},
            {"count", f.count},
            {"largest_stack_count", f.largestStackCount},
            {"processes", f.processes.size()},
            {"fingerprint", f.fingerprint},
            {"stacks", stacks},
            {"buffers", buffers}};
}

Json reportJson(const model::Capture& capture, const std::vector<detectors::Finding>& findings,
                const ReportOptions& options) {
    Json list = Json::array();
    for (const detectors::Finding& finding : findings)
        list.push_back(findingJson(capture, finding));
    const model::LiveTimeline::Point peak = model::LiveTimeline(capture).peak();
    const auto atPeak = [&](model::SplitBy split) { return liveShares(capture, peak.timeNs, split); };
    const auto atEnd = [&](model::SplitBy split) { return sharesHeldAtEnd(capture, split); };
    return {
        {"schema", "vramscope/report/1"},
        {"capture", capture.path.string()},
        {"command", capture.fact("command")},
        {"duration_ns", capture.endNs},
        {"completeness", completenessJson(capture)},
        {"devices", devicesJson(capture)},
        {"processes", processesJson(capture)},
        {"findings", list},
        {"peak", {{"bytes", peak.liveBytes}, {"time_ns", peak.timeNs}, {"by", splitsJson(options, atPeak)}}},
        {"live_at_end",
         {{"bytes", totalBytes(sharesHeldAtEnd(capture, model::SplitBy::Kind))},
          {"by", splitsJson(options, atEnd)}}},
        {"policy", policyJson(options.allowed)},
        {"skipped_by_ownership", skippedJson(capture)},
        {"ledger", ledgersJson(capture)}};
}

Json checkJson(const model::Capture& capture, const GateResult& result) {
    Json list = Json::array();
    for (const JudgedFinding& judged : result.findings) {
        Json finding = findingJson(capture, *judged.finding);
        finding["verdict"] = verdictName(judged.verdict);
        finding["reason"] = judged.reason;
        list.push_back(std::move(finding));
    }
    return {{"capture", capture.path.string()},
            {"verdict", result.fails()         ? "fail"
                        : result.isUndecided() ? "undecided"
                                               : "pass"},
            {"broken_limits", result.brokenLimits},
            {"missing_records", result.missingRecords},
            {"gaps", result.gaps},
            {"not_judged", result.notJudged},
            {"policy", policyJson(result.allowed)},
            {"findings", list}};
}

}  // namespace vramscope::report
