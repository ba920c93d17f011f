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

constexpr const char* kDescription =
    "vramscope: who holds the GPU's memory, what leaked, and who overwrote what\n\n"
    "  vramscope run -- python train.py        record a program\n"
    "  vramscope report train.vramscope        what it shows\n"
    "  vramscope open train.vramscope          the same in a window\n"
    "  vramscope check train.vramscope         one exit code for CI\n";

constexpr const char* kHandedVerbs =
    "Verbs of the capture side and the viewer:\n"
    "  run                         Record a program\n"
    "  recover                     Finish a recording whose recorder was killed\n"
    "  ctl                         Talk to a recording that is going on\n"
    "  doctor                      Say whether this machine can record, and why not\n"
    "  demo                        Record a small program and show what was found\n"
    "  open                        Open a capture in the viewer\n";

void defineVerbs(CLI::App& app, int& exitCode) {
    app.require_subcommand(1);
    app.formatter(std::make_shared<ExamplesFirst>());
    app.footer(kHandedVerbs);
    app.set_version_flag("--version", "vramscope " VRAMSCOPE_VERSION);
    addReportVerb(app, exitCode);
    addCheckVerb(app, exitCode);
    addDiffVerb(app, exitCode);
    addQueryVerb(app, exitCode);
    addDumpVerb(app, exitCode);
    addSummaryVerb(app, exitCode);
}

bool isOurs(const CLI::App& app, const std::string& verb) {
    const auto ours =
        app.get_subcommands([&](const CLI::App* candidate) { return candidate->get_name() == verb; });
    return !ours.empty();
}

int complainAboutVerb(const CLI::App& app, const std::string& verb) {
    std::vector<std::string> words{"run", "recover", "ctl", "doctor", "demo", "open"};
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
    CLI::App app(kDescription, "vramscope");
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
        return runProgram(argc, argv);
    } catch (const std::exception& error) {
        complain(fmt::format("internal error: {}. Please report it with the capture.", error.what()));
        return kInternal;
    }
}
