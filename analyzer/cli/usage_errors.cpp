// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/usage_errors.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "analyzer/cli/console.h"
#include "analyzer/cli/nearest_word.h"

namespace vramscope::cli {
namespace {

/// The options of an app as typed: "--top".
std::vector<std::string> optionsOf(const CLI::App& app) {
    std::vector<std::string> words;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames())
            words.push_back(fmt::format("--{}", name));
    }
    return words;
}

const CLI::App* verbOf(const CLI::App& app, int argc, char** argv) {
    for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (argc > 1 && verb->get_name() == argv[1]) return verb;
    }
    return nullptr;
}

void suggestOption(const CLI::App& verb, int argc, char** argv) {
    const std::vector<std::string> known = optionsOf(verb);
    for (int i = 2; i < argc; ++i) {
        const std::string_view typed =
            std::string_view(argv[i]).substr(0, std::string_view(argv[i]).find('='));
        if (typed.substr(0, 2) != "--") continue;
        if (std::find(known.begin(), known.end(), typed) != known.end()) continue;
        const std::string nearest = nearestWord(typed, known);
        if (!nearest.empty())
            complain(
                fmt::format("{} is no option of `{}`. Did you mean {}?", typed, verb.get_name(), nearest));
    }
}

}  // namespace

int explainParseError(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
    if (error.get_exit_code() == 0) {
        app.exit(error);  // help or version: prints it
        return kFine;
    }
    const CLI::App* verb = verbOf(app, argc, argv);
    complain(report::printable(error.what()));
    if (verb) suggestOption(*verb, argc, argv);
    complain(fmt::format("`vramscope {}--help` shows how it is used.",
                         verb ? fmt::format("{} ", verb->get_name()) : ""));
    return kUsage;
}

}  // namespace vramscope::cli
