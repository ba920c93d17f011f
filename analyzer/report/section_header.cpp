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
    constexpr std::size_t kLongest = 60;
    if (command.size() > kLongest) return fmt::format("{}...", command.substr(0, kLongest));
    return std::string(command.empty() ? "unknown command" : command);
}

}  // namespace

std::string headerSection(const model::Capture& capture) {
    return printable(fmt::format("{}    {}    {}    {}    {}", capture.path.filename().string(),
                                 commandText(capture), deviceText(capture),
                                 model::durationText(capture.endNs),
                                 model::completenessOf(capture).oneLine())) +
           "\n";
}

}  // namespace vramscope::report
