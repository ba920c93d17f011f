// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace vramscope::cli {

/// Each adds one verb to the command line; running it stores its exit code in `exitCode`.
void addReportVerb(CLI::App& app, int& exitCode);
void addCheckVerb(CLI::App& app, int& exitCode);
void addQueryVerb(CLI::App& app, int& exitCode);
void addDumpVerb(CLI::App& app, int& exitCode);
void addDiffVerb(CLI::App& app, int& exitCode);
void addPolicyVerb(CLI::App& app, int& exitCode);
void addSummaryVerb(CLI::App& app, int& exitCode);

}  // namespace vramscope::cli
