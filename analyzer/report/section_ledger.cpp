// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "analyzer/model/ledger.h"
#include "analyzer/model/units.h"
#include "analyzer/report/report_text.h"

namespace vramscope::report {
namespace {

std::string ledgerLine(const model::Ledger& ledger) {
    std::string line =
        fmt::format("  driver reports {}{}  =  live {}", model::bytesText(ledger.reportedBytes),
                    ledger.isWholeDevice ? " for the whole device" : "", model::bytesText(ledger.liveBytes));
    std::string text;
    const auto add = [&](std::string_view word, std::int64_t bytes) {
        if (bytes == 0) return;
        const std::string part = fmt::format(" + {} {}", word, model::bytesText(bytes));
        if (line.size() + part.size() > kPageWidth) {
            text += line + "\n";
            line = std::string(4, ' ');
        }
        line += part;
    };
    add("pool unused", ledger.poolUnusedBytes);
    add("rounding", ledger.roundingBytes);
    add("context and modules", ledger.contextBytes);
    add("ours", ledger.oursBytes);
    add("not accounted", ledger.notAccountedBytes);
    return text + line + "\n";
}

std::string restLine(const model::Ledger& ledger) {
    if (ledger.isWholeDevice) {
        return "  The driver lists no processes here, so other programs on the device are part of the "
               "number.\n";
    }
    std::string text = fmt::format("  of the card's {}, ", model::bytesText(ledger.totalBytes));
    if (ledger.othersBytes)
        text += fmt::format("other processes held {} and ", model::bytesText(*ledger.othersBytes));
    return text + fmt::format("{} were free\n", model::bytesText(ledger.freeBytes));
}

struct PoolUse {
    std::int64_t unusedBytes = 0;
    std::int64_t timeNs = 0;
};

}  // namespace

std::string ledgerSection(const model::Capture& capture, const ReportOptions& options) {
    std::string text;
    for (const model::Ledger& ledger : ledgersAtPeak(capture)) {
        const model::Device* device = capture.devices.find(ledger.deviceId);
        text += fmt::format("  {} at {}\n", printable(device ? device->name : "device"),
                            model::momentText(ledger.timeNs));
        text += ledgerLine(ledger);
        text += restLine(ledger);
    }
    if (text.empty())
        text = "  The driver's own numbers were not sampled, so there is nothing to compare with.\n";
    return fmt::format("{}   at the fullest sample\n\n{}\n", options.style.heading("THE LEDGER"), text);
}

std::string unusedSection(const model::Capture& capture, const ReportOptions& options) {
    std::map<model::PoolId, PoolUse> most;
    for (const model::PoolSample& sample : capture.poolSamples) {
        PoolUse& use = most[sample.poolId];
        const std::int64_t unused = sample.reservedBytes - sample.usedBytes;
        if (unused > use.unusedBytes) use = {unused, sample.timeNs};
    }
    std::string text;
    for (const auto& [poolId, use] : most) {
        const model::Pool* pool = capture.pools.find(poolId);
        if (!pool || use.unusedBytes <= 0) continue;
        text +=
            fmt::format("  {} kept up to {} unused, at {}\n", pool->isDefault ? "the default pool" : "a pool",
                        model::bytesText(use.unusedBytes), model::momentText(use.timeNs));
    }
    for (const model::Ledger& ledger : ledgersAtPeak(capture)) {
        if (ledger.roundingBytes < model::kPageBytes) continue;
        text += fmt::format(
            "  {} went to rounding sizes up to 2 MiB pages and to pages that small buffers share\n",
            model::bytesText(ledger.roundingBytes));
    }
    if (text.empty()) return "";
    return fmt::format("{}\n\n{}\n", options.style.heading("RESERVED BUT UNUSED"), text);
}

}  // namespace vramscope::report
