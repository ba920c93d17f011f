// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/units.h"

#include <array>
#include <fmt/format.h>

#include "analyzer/model/amounts.h"

namespace vramscope::model {

std::string bytesText(std::int64_t bytes) {
    if (bytes < 0) return fmt::format("-{}", bytesText(bytes == -kNever - 1 ? kNever : -bytes));
    if (bytes < kKiB) return countOf(bytes, "byte");
    static constexpr std::array<std::string_view, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes) / static_cast<double>(kKiB);
    std::size_t unit = 0;
    // 1023.95 would print as 1024.0, so the next unit begins a little early.
    while (value >= 1023.95 && unit + 1 < kUnits.size()) {
        value /= 1024.0;
        ++unit;
    }
    return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string countText(std::int64_t count) {
    const std::string digits = fmt::format("{}", count);
    const std::size_t firstDigit = count < 0 ? 1 : 0;
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > firstDigit && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string countOf(std::int64_t count, std::string_view noun, std::string_view plural) {
    if (count == 1) return fmt::format("1 {}", noun);
    if (!plural.empty()) return fmt::format("{} {}", countText(count), plural);
    return fmt::format("{} {}s", countText(count), noun);
}

std::string durationText(std::int64_t ns) {
    const double seconds = static_cast<double>(ns) / static_cast<double>(kNsPerSecond);
    if (seconds >= 3600) {
        return fmt::format("{} h {} min", ns / kNsPerSecond / 3600, ns / kNsPerSecond / 60 % 60);
    }
    if (seconds >= 120) return fmt::format("{} min {} s", ns / kNsPerSecond / 60, ns / kNsPerSecond % 60);
    if (seconds >= 1) return fmt::format("{:.1f} s", seconds);
    return fmt::format("{:.1f} ms", seconds * 1e3);
}

std::string momentText(std::int64_t ns) {
    const double seconds = static_cast<double>(ns) / static_cast<double>(kNsPerSecond);
    return seconds < 10 ? fmt::format("{:.3f} s", seconds) : fmt::format("{:.1f} s", seconds);
}

}  // namespace vramscope::model
