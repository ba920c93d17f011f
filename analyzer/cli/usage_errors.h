// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace vramscope::cli {

/// Prints help when that was asked for, else what is wrong with the command line and, for a word that is none
/// of ours, the nearest one that is. Returns the exit code.
int explainParseError(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

}  // namespace vramscope::cli
