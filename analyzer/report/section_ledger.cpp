// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/model/ledger.h"
#include "analyzer/model/units.h"
#include "analyzer/report/report_text.h"

namespace vramscope::report {
namespace {

std::string termLine(std::string_view sign, std::string_view word, std::int64_t bytes,
                     std::string_view meaning) {
    return fmt::format("  {} {:<17} {:>10}   {}\n", sign, word, model::bytesText(bytes), meaning);
}

std::string termLines(const model::Ledger& ledger) {
    std::string text = termLine(" ", "driver reports", ledger.reportedBytes,
                                ledger.isWholeDevice ? "for the whole device, other programs included"
                                                     : "for this job's processes (NVML)");
    const auto add = [&](std::string_view word, std::int64_t bytes, std::string_view meaning) {
        if (bytes != 0) text += termLine("+", word, bytes, meaning);
    };
    text += termLine("=", "live", ledger.tracked.live, "buffers that the job had allocated");
    add("pool unused", ledger.tracked.poolUnused, "reserved by stream-ordered pools, in no buffer");
    add("rounding", ledger.tracked.rounding,
        "sizes up to whole 2 MiB pages, and pages that small buffers share");
    add("context", ledger.cost.contextBytes, "contexts and their first modules, as each process began");
    add("code", ledger.cost.laterBytes, "came while kernels were launched for the first time");
    add("starting", ledger.cost.startingBytes, "processes whose context was still being made");
    add("ours", ledger.tracked.ours, "estimated: what CUPTI adds to a context while vramscope records");
    add("not accounted", ledger.notAccountedBytes,
        ledger.notAccountedBytes < 0 ? "an estimate above was too high"
                                     : "nothing in the record explains it");
    return text;
}

std::string cardLine(const model::Ledger& ledger) {
    if (ledger.isWholeDevice) {
        return "    The driver lists no processes here, so the number cannot be split by program.\n";
    }
    std::string text = fmt::format("    of the card's {}: ", model::bytesText(ledger.totalBytes));
    if (ledger.othersBytes) text += fmt::format("other programs {}, ", model::bytesText(*ledger.othersBytes));
    return text + fmt::format("free {}\n", model::bytesText(ledger.freeBytes));
}

}  // namespace

std::string ledgerSection(const model::Capture& capture, const ReportOptions& options) {
    std::string text;
    for (const model::Ledger& ledger : ledgersAtPeak(capture)) {
        const model::Device* device = capture.devices.find(ledger.deviceId);
        text += fmt::format("  {} at {}, the fullest of its samples\n",
                            printable(device ? device->name : "device"), model::momentText(ledger.timeNs));
        text += termLines(ledger) + cardLine(ledger);
    }
    if (text.empty())
        text = "  The driver's own numbers were not sampled, so there is nothing to compare with.\n";
    return fmt::format("{}\n\n{}\n", options.style.heading("THE LEDGER"), text);
}

}  // namespace vramscope::report
