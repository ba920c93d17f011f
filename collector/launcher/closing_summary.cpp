// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/closing_summary.h"

#include <fmt/format.h>
#include <string>

#include "collector/launcher/sibling_program.h"
#include "collector/recorder/tell_user.h"

namespace vramscope::collector {

namespace {

std::string countText(std::uint64_t count) {
    if (count >= 1'000'000) return fmt::format("{:.1f} M", static_cast<double>(count) / 1e6);
    if (count >= 10'000) return fmt::format("{:.0f} k", static_cast<double>(count) / 1e3);
    return std::to_string(count);
}

std::string sizeText(std::uint64_t bytes) {
    if (bytes >= 1u << 30) return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1u << 30));
    if (bytes >= 1u << 20) return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1u << 20));
    return fmt::format("{:.0f} KiB", static_cast<double>(bytes) / 1024);
}

void printHeadline(const RecorderSummary& summary) {
    std::string lost = summary.lostCount == 0 ? "none lost" : countText(summary.lostCount) + " lost";
    if (!summary.status.isOk()) lost = "not all written";
    tellUser("vramscope: {} process{}, {:.1f} s, {} events, {}\n", summary.processCount,
             summary.processCount == 1 ? "" : "es", static_cast<double>(summary.sessionNs) / 1e9,
             countText(summary.eventCount), lost);
}

}  // namespace

void printClosingSummary(const RecorderSummary& summary, const std::filesystem::path& capture) {
    for (const std::string& reason : summary.offReasons)
        tellUser("vramscope: not recorded to the end: {}\n", reason);
    if (!summary.status.isOk()) {
        tellUser("vramscope: the capture is not whole: {}\n", summary.status.message());
    }
    if (summary.processCount == 0) {
        // Programs that got another environment used it, perhaps, and nobody told us.
        tellUser(
            "vramscope: no process announced itself: the job did not use CUDA, or what did was started "
            "without "
            "our environment (env -i, sudo, setuid). {} holds nothing but that.\n",
            capture.string());
        return;
    }
    printHeadline(summary);
    std::string middle;
    if (runSibling("vramscope", {"summary", capture.string()}, &middle) == 0) tellUser("{}", middle);
    std::error_code error;
    const std::uint64_t bytes = std::filesystem::file_size(capture, error);
    tellUser("  capture      {}, {}\n", capture.string(), sizeText(error ? 0 : bytes));
    tellUser("  next         vramscope report {}\n", capture.string());
}

}  // namespace vramscope::collector
