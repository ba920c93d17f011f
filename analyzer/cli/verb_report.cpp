// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "analyzer/cli/common_options.h"
#include "analyzer/cli/hand_over.h"
#include "analyzer/cli/verbs.h"
#include "analyzer/detectors/detector.h"
#include "analyzer/model/capture_loader.h"
#include "analyzer/report/report_json.h"
#include "analyzer/report/report_text.h"

namespace vramscope::cli {
namespace {

struct Arguments {
    std::string file;
    bool isJson = false;
    report::ReportOptions options;
    ColourChoice colour = ColourChoice::Auto;
};

const std::map<std::string, model::SplitBy> kSplits{{"process", model::SplitBy::Process},
                                                    {"task", model::SplitBy::Task},
                                                    {"library", model::SplitBy::Library},
                                                    {"kind", model::SplitBy::Kind},
                                                    {"stack", model::SplitBy::Stack}};

int runReport(Arguments& arguments) {
    auto capture = model::loadCapture(arguments.file);
    if (!capture.isOk()) return fail(capture.status());
    const auto findings = detectors::detectAll(**capture);
    if (arguments.isJson) {
        const auto json = report::reportJson(**capture, findings, arguments.options);
        print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
        return kFine;
    }
    arguments.options.style = styleFor(arguments.colour);
    arguments.options.hasViewer = isInstalled(*ownerOf("open"));
    print(report::reportText(**capture, findings, arguments.options));
    return kFine;
}

}  // namespace

void addReportVerb(CLI::App& app, int& exitCode) {
    CLI::App* verb =
        app.add_subcommand("report", "Say what a capture shows: problems, peak, what is left, the ledger");
    verb->footer(
        "  vramscope report train.vramscope\n"
        "  vramscope report train.vramscope --by library --top 20\n"
        "  vramscope report train.vramscope --json | jq .findings");
    auto arguments = std::make_shared<Arguments>();
    verb->add_option("FILE", arguments->file, "A capture")->required();
    verb->add_flag("--json", arguments->isJson, "One JSON object, schema vramscope/report/1");
    verb->add_option("--top", arguments->options.top, "Most lines of a list (default 8)")
        ->check(
            [](const std::string& text) {
                const bool isNumber = !text.empty() && text.size() < 10 &&
                                      text.find_first_not_of("0123456789") == std::string::npos;
                return isNumber && text.find_first_not_of('0') != std::string::npos
                           ? std::string()
                           : "`" + text + "` is not a whole number from 1 on";
            },
            "")
        ->type_name("N");
    verb->add_option("--by", arguments->options.splits,
                     "Split bytes only by: process, task, library, kind, stack")
        ->transform(oneOf(kSplits))
        ->delimiter(',')
        ->type_name("WHAT");
    addColourOption(*verb, arguments->colour);
    verb->callback([arguments, &exitCode] { exitCode = runReport(*arguments); });
}

}  // namespace vramscope::cli
