// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/model/completeness.h"
#include "analyzer/model/units.h"
#include "analyzer/report/report_text.h"

namespace vramscope::report {
namespace {

std::string deviceText(const model::Capture& capture) {
    if (capture.devices.empty()) return "no device seen";
    const model::Device& first = *capture.devices.begin();
    std::string text(first.name.empty() ? "unnamed device" : first.name);
    if (!first.driverVersion.empty()) text += fmt::format(", driver {}", first.driverVersion);
    if (capture.devices.size() > 1) {
        text = fmt::format("{} devices, the first {}", capture.devices.size(), text);
    }
    return text;
}

std::string commandText(const model::Capture& capture) {
    std::string_view command = capture.fact("command");
    if (command.empty() && !capture.processes.empty()) command = capture.processes.begin()->command;
    return std::string(command.empty() ? "unknown command" : command);
}

}  // namespace

std::string headerSection(const model::Capture& capture) {
    constexpr std::string_view kGap = "    ";
    const std::string name = printable(capture.path.filename().string());
    const std::string command = printable(commandText(capture));
    const std::string facts =
        printable(fmt::format("{}{}{}{}{}", deviceText(capture), kGap, model::durationText(capture.endNs),
                              kGap, model::completenessOf(capture).oneLine()));
    const std::string line = fmt::format("{}{}{}{}{}\n", name, kGap, command, kGap, facts);
    if (line.size() <= kPageWidth + 1) return line;
    const std::size_t room = std::max<std::size_t>(kPageWidth - std::min(kPageWidth, name.size() + 4), 24);
    return fmt::format("{}{}{}\n{}{}\n", name, kGap, cut(command, room), kGap, facts);
}

}  // namespace vramscope::report
