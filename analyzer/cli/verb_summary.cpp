// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>

#include "analyzer/cli/common_options.h"
#include "analyzer/cli/verbs.h"
#include "analyzer/detectors/detector.h"
#include "analyzer/model/capture_loader.h"
#include "analyzer/report/summary.h"

namespace vramscope::cli {

void addSummaryVerb(CLI::App& app, int& exitCode) {
    CLI::App* verb =
        app.add_subcommand("summary", "The lines about a capture that `vramscope run` prints at its end");
    verb->group("");  // not for people: `run` asks for it
    auto file = std::make_shared<std::string>();
    verb->add_option("FILE", *file, "A capture")->required();
    verb->callback([file, &exitCode] {
        auto capture = model::loadCapture(*file);
        if (!capture.isOk()) {
            exitCode = fail(capture.status());
            return;
        }
        print(report::summaryText(**capture, detectors::detectAll(**capture)));
        exitCode = kFine;
    });
}

}  // namespace vramscope::cli
