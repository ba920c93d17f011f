// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "analyzer/cli/common_options.h"
#include "analyzer/cli/verbs.h"
#include "analyzer/detectors/detector.h"
#include "analyzer/model/capture_loader.h"
#include "analyzer/report/diff.h"

namespace vramscope::cli {
namespace {

struct Arguments {
    std::string before;
    std::string after;
    bool isJson = false;
    std::size_t top = 8;
};

int runDiff(const Arguments& arguments) {
    auto before = model::loadCapture(arguments.before);
    if (!before.isOk()) return fail(before.status());
    auto after = model::loadCapture(arguments.after);
    if (!after.isOk()) return fail(after.status());
    const report::Difference difference = report::differenceOf(**before, **after);
    if (arguments.isJson)
        print(report::diffJson(difference).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
              "\n");
    else
        print(report::diffText(difference, arguments.top));
    return difference.isEmpty() ? kFine : kGateFailed;
}

}  // namespace

void addDiffVerb(CLI::App& app, int& exitCode) {
    CLI::App* verb =
        app.add_subcommand("diff", "Say what changed between two captures: exit code 1 if anything did");
    verb->footer("  vramscope diff before.vramscope after.vramscope");
    auto arguments = std::make_shared<Arguments>();
    verb->add_option("BEFORE", arguments->before, "A capture")->required();
    verb->add_option("AFTER", arguments->after, "A later capture")->required();
    verb->add_flag("--json", arguments->isJson, "One JSON object, schema vramscope/diff/1");
    verb->add_option("--top", arguments->top, "Most lines of a list (default 8)")->type_name("N");
    verb->callback([arguments, &exitCode] { exitCode = runDiff(*arguments); });
}

}  // namespace vramscope::cli
