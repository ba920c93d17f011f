// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <exception>
#include <fmt/format.h>
#include <memory>

#include "analyzer/cli/console.h"
#include "analyzer/cli/examples_first.h"
#include "analyzer/cli/hand_over.h"
#include "analyzer/cli/nearest_word.h"
#include "analyzer/cli/usage_errors.h"
#include "analyzer/cli/verbs.h"

namespace {

using namespace vramscope::cli;

/// What the program is and how it is used, as far as the installation goes.
std::string description() {
    std::string text = "vramscope: who holds the GPU's memory, what leaked, and why nothing fits\n\n";
    const auto example = [&](std::string_view command, std::string_view meaning) {
        text += fmt::format("  vramscope {:<29} {}\n", command, meaning);
    };
    if (isInstalled(*ownerOf("run"))) example("run -- python train.py", "record a program");
    example("report train.vramscope", "what it shows");
    if (isInstalled(*ownerOf("open"))) example("open train.vramscope", "the same in a window");
    example("check train.vramscope", "one exit code for CI");
    return text;
}

std::string handedVerbsHelp() {
    std::string text;
    for (const HandedVerb& handed : installedVerbs())
        text += fmt::format("  {:<27} {}\n", handed.verb, handed.help);
    return text.empty() ? text : "Verbs of other programs of this installation:\n" + text;
}

void defineVerbs(CLI::App& app, int& exitCode) {
    app.require_subcommand(1);
    app.formatter(std::make_shared<ExamplesFirst>());
    app.footer(handedVerbsHelp());
    app.set_version_flag("--version", "vramscope " VRAMSCOPE_VERSION);
    addReportVerb(app, exitCode);
    addCheckVerb(app, exitCode);
    addDiffVerb(app, exitCode);
    addQueryVerb(app, exitCode);
    addDumpVerb(app, exitCode);
    addPolicyVerb(app, exitCode);
    addSummaryVerb(app, exitCode);
}

bool isOurs(const CLI::App& app, const std::string& verb) {
    const auto ours =
        app.get_subcommands([&](const CLI::App* candidate) { return candidate->get_name() == verb; });
    return !ours.empty();
}

int complainAboutVerb(const CLI::App& app, const std::string& verb) {
    std::vector<std::string> words;
    for (const HandedVerb& handed : installedVerbs())
        words.emplace_back(handed.verb);
    for (const CLI::App* known : app.get_subcommands([](const CLI::App*) { return true; }))
        words.push_back(known->get_name());
    const std::string nearest = nearestWord(verb, words);
    complain(fmt::format("there is no `{}`.{}", vramscope::report::printable(verb),
                         nearest.empty() ? " `vramscope --help` lists what there is."
                                         : fmt::format(" Did you mean `{}`?", nearest)));
    return kUsage;
}

int runProgram(int argc, char** argv) {
    if (argc > 1) {
        if (const auto owner = ownerOf(argv[1])) return handOver(*owner, argv + 1);
    }
    int exitCode = kInternal;
    CLI::App app(description(), "vramscope");
    defineVerbs(app, exitCode);
    if (argc > 1 && argv[1][0] != '-' && !isOurs(app, argv[1])) return complainAboutVerb(app, argv[1]);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return explainParseError(app, error, argc, argv);
    }
    return exitCode;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return codeAfterOutput(runProgram(argc, argv));
    } catch (const std::exception& error) {
        complain(fmt::format("internal error: {}. Please report it with the capture.", error.what()));
        return kInternal;
    }
}
