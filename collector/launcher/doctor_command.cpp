// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/doctor_command.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "collector/launcher/doctor_groups.h"
#include "collector/recorder/tell_user.h"

namespace vramscope::collector {

namespace {

constexpr std::size_t kNameWidth = 16;

const char* wordOf(CheckResult result) {
    constexpr const char* kWords[] = {"ok", "warn", "FAIL"};
    return kWords[static_cast<std::size_t>(result)];
}

Checks runChecks() {
    const DriverProbe driver = probeDriver();
    Checks all;
    for (Checks group : {checkInstallation(), checkDriver(driver), checkCupti(driver), checkExactEngine(),
                         checkNvml(), checkOtherTools(), checkMemory(), checkKernel()}) {
        std::move(group.begin(), group.end(), std::back_inserter(all));
    }
    return all;
}

std::string oneLine(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

void printText(const Checks& checks, long failures) {
    for (const Check& check : checks) {
        writeTo(stdout, "{:<4}  {:<{}}  {}\n", wordOf(check.result), check.name, kNameWidth,
                oneLine(check.text));
        if (!check.fix.empty()) writeTo(stdout, "      {}\n", oneLine(check.fix));
    }
    if (failures == 0) {
        writeTo(stdout, "\nA run would work here.\n");
    } else {
        writeTo(stdout, "\nA run would not be recorded here: {} check{} failed.\n", failures,
                failures == 1 ? "" : "s");
    }
}

void printJson(const Checks& checks, long failures) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Check& check : checks) {
        nlohmann::ordered_json entry{
            {"name", check.name}, {"result", wordOf(check.result)}, {"text", check.text}};
        if (!check.fix.empty()) entry["fix"] = check.fix;
        list.push_back(std::move(entry));
    }
    const nlohmann::ordered_json document{{"works", failures == 0}, {"checks", std::move(list)}};
    // Paths need not be UTF-8; what is not becomes the replacement character.
    writeTo(stdout, "{}\n", document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

DoctorCommand::DoctorCommand(CLI::App& app) {
    m_verb = app.add_subcommand("doctor", "say whether this machine can record, and why not");
    m_verb->add_flag("--json", m_json, "print the checks as JSON");
}

int DoctorCommand::execute() const {
    const Checks checks = runChecks();
    const auto failures = std::count_if(checks.begin(), checks.end(),
                                        [](const Check& check) { return check.result == CheckResult::Fail; });
    m_json ? printJson(checks, failures) : printText(checks, failures);
    return failures == 0 ? 0 : 1;
}

}  // namespace vramscope::collector
