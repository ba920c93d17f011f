// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/owners_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "analyzer/model/breakdown.h"
#include "analyzer/model/live_timeline.h"
#include "analyzer/model/units.h"

namespace vramscope::report {
namespace {

constexpr std::int64_t kMoments = 16;

struct Moment {
    std::int64_t timeNs = 0;
    bool isPeak = false;
    std::map<std::string, std::int64_t> bytesByOwner;
    std::int64_t totalBytes = 0;
};

/// From the first allocation to the end of the capture.
std::vector<Moment> momentsOf(const model::Capture& capture) {
    std::int64_t firstNs = capture.endNs;
    for (const model::Buffer& b : capture.buffers)
        firstNs = std::min(firstNs, b.allocNs);
    std::vector<Moment> moments;
    // In the middle of each stretch: at its edges everything is just coming or going.
    const std::int64_t stretchNs = (capture.endNs - firstNs) / kMoments;
    for (std::int64_t i = 0; i < kMoments && stretchNs > 0; ++i)
        moments.push_back({firstNs + stretchNs * i + stretchNs / 2, false, {}, 0});
    const model::LiveTimeline::Point peak = model::LiveTimeline(capture).peak();
    if (peak.liveBytes > 0) moments.push_back({peak.timeNs, true, {}, 0});
    std::sort(moments.begin(), moments.end(),
              [](const Moment& a, const Moment& b) { return a.timeNs < b.timeNs; });
    for (Moment& moment : moments) {
        for (const model::Share& share : liveShares(capture, moment.timeNs, model::SplitBy::Task)) {
            moment.bytesByOwner[share.label] = share.bytes;
            moment.totalBytes = model::addClamped(moment.totalBytes, share.bytes);
        }
    }
    return moments;
}

/// Owners by the most that they ever held.
std::vector<std::string> ownersOf(const std::vector<Moment>& moments) {
    std::map<std::string, std::int64_t> most;
    for (const Moment& moment : moments) {
        for (const auto& [owner, bytes] : moment.bytesByOwner)
            most[owner] = std::max(most[owner], bytes);
    }
    std::vector<std::string> owners;
    for (const auto& [owner, bytes] : most)
        owners.push_back(owner);
    std::stable_sort(owners.begin(), owners.end(),
                     [&](const std::string& a, const std::string& b) { return most[a] > most[b]; });
    return owners;
}

std::int64_t bytesOf(const Moment& moment, const std::string& owner) {
    const auto found = moment.bytesByOwner.find(owner);
    return found == moment.bytesByOwner.end() ? 0 : found->second;
}

}  // namespace

std::string ownersTable(const model::Capture& capture, const ReportOptions& options) {
    constexpr std::size_t kColumns = 5;
    const std::vector<Moment> moments = momentsOf(capture);
    const std::vector<std::string> owners = ownersOf(moments);
    std::string text = options.style.heading("WHO OWNED WHAT") + "\n\n";
    if (owners.empty()) return text + "  The job allocated no device memory that was recorded.\n";
    const std::size_t shown = std::min(owners.size(), kColumns);
    text += fmt::format("  {:>10}  {:>10}", "", "total");
    for (std::size_t i = 0; i < shown; ++i)
        text += fmt::format("  {:>12}", printable(cut(owners[i], 12)));
    text += owners.size() > shown ? fmt::format("  {:>10}\n", "others") : "\n";
    for (const Moment& moment : moments) {
        text += fmt::format("  {:>10}  {:>10}", model::momentText(moment.timeNs),
                            model::bytesText(moment.totalBytes));
        std::int64_t rest = moment.totalBytes;
        for (std::size_t i = 0; i < shown; ++i) {
            const std::int64_t bytes = bytesOf(moment, owners[i]);
            rest -= bytes;
            text += fmt::format("  {:>12}", bytes == 0 ? "-" : model::bytesText(bytes));
        }
        if (owners.size() > shown) text += fmt::format("  {:>10}", rest <= 0 ? "-" : model::bytesText(rest));
        text += moment.isPeak ? "  peak\n" : "\n";
    }
    return text;
}

nlohmann::ordered_json ownersJson(const model::Capture& capture) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Moment& moment : momentsOf(capture)) {
        nlohmann::ordered_json owners = nlohmann::ordered_json::object();
        for (const auto& [owner, bytes] : moment.bytesByOwner)
            owners[owner] = bytes;
        list.push_back({{"time_ns", moment.timeNs},
                        {"is_peak", moment.isPeak},
                        {"total_bytes", moment.totalBytes},
                        {"owners", owners}});
    }
    return {{"schema", "vramscope/owners/1"}, {"capture", capture.path.string()}, {"moments", list}};
}

}  // namespace vramscope::report
