// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>

#include "analyzer/cli/common_options.h"
#include "analyzer/cli/verbs.h"
#include "analyzer/model/capture_loader.h"
#include "analyzer/report/sharing_policy.h"

namespace vramscope::cli {
namespace {

struct Arguments {
    std::vector<std::string> files;
    std::string output;
    bool mayOverwrite = false;
};

Status writePolicy(const Arguments& arguments, const std::string& text) {
    if (!arguments.mayOverwrite && std::filesystem::exists(arguments.output)) {
        return {ErrorKind::Usage,
                fmt::format("{} is there already. Choose another name, or add -f.", arguments.output)};
    }
    std::ofstream file(arguments.output, std::ios::trunc);
    file << text;
    file.close();
    if (!file)
        return {ErrorKind::System, fmt::format("{}: the policy could not be written.", arguments.output)};
    return Status::ok();
}

int runLearn(const Arguments& arguments) {
    std::vector<report::AllowedSharing> lines;
    std::string text;
    for (const std::string& file : arguments.files) {
        const auto capture = model::loadCapture(file);
        if (!capture.isOk()) return fail(capture.status());
        if (!(*capture)->sharedAccesses.isWhole)
            complain(fmt::format("{}: too much work to hold all of it; what was left out is not allowed.",
                                 report::printable(file)));
        for (report::AllowedSharing& line : report::sharingIn(**capture)) {
            if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
        }
        text = report::policyText(**capture, lines);
    }
    if (arguments.output.empty()) {
        print(text);
        return kFine;
    }
    if (const Status status = writePolicy(arguments, text); !status.isOk()) return fail(status);
    complain(fmt::format("{} of sharing written to {}",
                         lines.size() == 1 ? "1 line" : fmt::format("{} lines", lines.size()),
                         arguments.output));
    return kFine;
}

}  // namespace

void addPolicyVerb(CLI::App& app, int& exitCode) {
    CLI::App* verb = app.add_subcommand("policy", "Write down which sharing between tasks is meant");
    verb->require_subcommand(1);
    CLI::App* learn = verb->add_subcommand("learn", "Allow what good captures show");
    learn->footer(
        "  vramscope policy learn good.vramscope -o policy.toml\n"
        "  vramscope check train.vramscope --policy policy.toml");
    auto arguments = std::make_shared<Arguments>();
    learn->add_option("FILE", arguments->files, "Captures of runs in which all sharing is meant")->required();
    learn->add_option("-o,--output", arguments->output, "File to write; standard output without it")
        ->type_name("FILE");
    learn->add_flag("-f,--force", arguments->mayOverwrite, "Replace the file");
    learn->callback([arguments, &exitCode] { exitCode = runLearn(*arguments); });
}

}  // namespace vramscope::cli
