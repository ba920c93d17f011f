// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "analyzer/cli/common_options.h"
#include "analyzer/cli/hand_over.h"
#include "analyzer/cli/verbs.h"
#include "analyzer/detectors/detector.h"
#include "analyzer/model/access.h"
#include "analyzer/model/capture_loader.h"
#include "analyzer/report/buffer_story.h"
#include "analyzer/report/owners_table.h"
#include "analyzer/report/report_json.h"
#include "analyzer/report/report_text.h"
#include "formats/capture_file.h"

namespace vramscope::cli {
namespace {

struct Arguments {
    std::string file;
    std::string buffer;  ///< --buffer
    std::string policyFile;
    bool hasOwners = false;
    bool isJson = false;
    report::ReportOptions options;
    ColourChoice colour = ColourChoice::Auto;
};

const std::map<std::string, model::SplitBy> kSplits{{"process", model::SplitBy::Process},
                                                    {"task", model::SplitBy::Task},
                                                    {"library", model::SplitBy::Library},
                                                    {"kind", model::SplitBy::Kind},
                                                    {"stack", model::SplitBy::Stack}};

std::string dumped(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// The life of one buffer, or of all that held an address.
int runBufferReport(const Arguments& arguments, const model::Capture& capture) {
    const auto buffers = report::buffersNamed(capture, arguments.buffer);
    if (!buffers.isOk()) return fail(buffers.status());
    auto connection = formats::openCaptureForReading(arguments.file);
    if (!connection.isOk()) return fail(connection.status());
    std::set<model::BufferId> wanted;
    for (const model::Buffer* buffer : *buffers)
        wanted.insert(buffer->id);
    const auto accesses =
        loadAccesses(*connection, capture, [&](model::BufferId id) { return wanted.contains(id); });
    if (!accesses.isOk()) return fail(accesses.status());
    if (arguments.isJson) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const model::Buffer* buffer : *buffers)
            list.push_back(report::bufferStoryJson(capture, *buffer, *accesses));
        print(dumped({{"schema", "vramscope/buffer/1"}, {"capture", arguments.file}, {"buffers", list}}));
        return kFine;
    }
    const auto findings = detectors::detectAll(capture);
    for (const model::Buffer* buffer : *buffers)
        print(report::bufferStory(capture, *buffer, *accesses, findings, arguments.options));
    return kFine;
}

int runReport(Arguments& arguments) {
    report::SharingPolicy policy;
    if (const Status status = readPolicy(arguments.policyFile, policy); !status.isOk()) return fail(status);
    auto capture = model::loadCapture(arguments.file);
    if (!capture.isOk()) return fail(capture.status());
    arguments.options.style = styleFor(arguments.colour);
    if (!arguments.buffer.empty()) return runBufferReport(arguments, **capture);
    if (arguments.hasOwners) {
        print(arguments.isJson ? dumped(report::ownersJson(**capture))
                               : report::ownersTable(**capture, arguments.options));
        return kFine;
    }
    report::PolicyUse policyUse(policy, **capture);
    const auto findings = detectors::detectAll(**capture, policyUse.filter());
    arguments.options.allowed = policyUse.count();
    if (arguments.isJson) {
        const auto json = report::reportJson(**capture, findings, arguments.options);
        print(dumped(json));
        return kFine;
    }
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
        "  vramscope report train.vramscope --buffer b7f2c40000000.3\n"
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
    CLI::Option* buffer =
        verb->add_option("--buffer", arguments->buffer,
                         "The whole life of one buffer (b<address>.<generation>), or of all at an address")
            ->type_name("BUFFER");
    verb->add_flag("--owners", arguments->hasOwners, "Every byte by owner over time")->excludes(buffer);
    addPolicyOption(*verb, arguments->policyFile);
    addColourOption(*verb, arguments->colour);
    verb->callback([arguments, &exitCode] { exitCode = runReport(*arguments); });
}

}  // namespace vramscope::cli
