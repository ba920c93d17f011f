// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "analyzer/model/live_timeline.h"
#include "analyzer/model/units.h"
#include "analyzer/report/report_text.h"

namespace vramscope::report {
namespace {

using model::Share;
using model::SplitBy;

std::string sharesOnOneLine(const std::vector<Share>& shares, std::size_t most) {
    std::string text;
    std::int64_t rest = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (i >= most) {
            rest = model::addClamped(rest, shares[i].bytes);
            continue;
        }
        text += fmt::format("{}{} {}", i == 0 ? "" : "   ", printable(shares[i].label),
                            model::bytesText(shares[i].bytes));
    }
    if (rest > 0) text += fmt::format("   other {}", model::bytesText(rest));
    return text;
}

std::string stackShares(const std::vector<Share>& shares, std::size_t most) {
    std::string text = "  by stack\n";
    for (std::size_t i = 0; i < std::min(shares.size(), most); ++i) {
        text +=
            fmt::format("    {:>10}  {:>14}   {}\n", model::bytesText(shares[i].bytes),
                        model::countOf(shares[i].bufferCount, "buffer"), printable(cut(shares[i].label, 66)));
    }
    if (shares.size() > most) {
        text +=
            fmt::format("    {} more places; --top {} shows them.\n", shares.size() - most, shares.size());
    }
    return text;
}

template <typename SharesBy>
std::string splitLines(const ReportOptions& options, SharesBy sharesBy) {
    std::string text;
    for (const SplitBy split : options.splits) {
        const std::vector<Share> shares = sharesBy(split);
        if (shares.empty()) continue;
        text += split == SplitBy::Stack ? stackShares(shares, options.top)
                                        : fmt::format("  {:<13}  {}\n", fmt::format("by {}", name(split)),
                                                      sharesOnOneLine(shares, options.top));
    }
    return text;
}

/// ", step 118" when the program marked its steps.
std::string stepText(const model::Capture& capture, std::int64_t timeNs) {
    const auto started = std::count_if(capture.phases.begin(), capture.phases.end(),
                                       [&](const model::Phase& phase) { return phase.startNs <= timeNs; });
    return started == 0 ? "" : fmt::format(", step {}", started);
}

}  // namespace

std::string peakSection(const model::Capture& capture, const ReportOptions& options) {
    const model::LiveTimeline::Point peak = model::LiveTimeline(capture).peak();
    if (peak.liveBytes == 0) {
        return fmt::format("{}\n\n  The job allocated no device memory that was recorded.\n\n",
                           options.style.heading("WHERE THE PEAK WENT"));
    }
    return fmt::format(
        "{}   {} at {}{}\n\n{}\n", options.style.heading("WHERE THE PEAK WENT"),
        model::bytesText(peak.liveBytes), model::momentText(peak.timeNs), stepText(capture, peak.timeNs),
        splitLines(options, [&](SplitBy split) { return liveShares(capture, peak.timeNs, split); }));
}

std::string endSection(const model::Capture& capture, const ReportOptions& options) {
    const std::int64_t bytes = totalBytes(sharesHeldAtEnd(capture, SplitBy::Kind));
    std::string text =
        fmt::format("{}   {}\n\n", options.style.heading("LIVE AT THE END"), model::bytesText(bytes));
    for (const std::string& ending : endingsTold(capture))
        text += fmt::format("  {}\n", ending);
    const std::vector<Share> host = hostSharesHeldAtEnd(capture, SplitBy::Stack);
    if (bytes == 0 && host.empty()) return text + "  Everything was given back.\n\n";
    text += splitLines(options, [&](SplitBy split) { return sharesHeldAtEnd(capture, split); });
    if (!host.empty()) {
        text += fmt::format("  and {} of pinned host memory\n{}", model::bytesText(totalBytes(host)),
                            stackShares(host, options.top));
    }
    return text + "\n";
}

}  // namespace vramscope::report
