// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "analyzer/cli/exit_codes.h"
#include "analyzer/report/style.h"
#include "formats/status.h"

namespace vramscope::cli {

/// When to colour: the values of --color.
enum class ColourChoice { Auto, Always, Never };

/// Data to standard output. A reader that went away ends the program quietly, as it does for every filter;
/// where that signal is ignored, what follows is dropped. Never throws.
void print(std::string_view text);
/// The exit code of a program that has printed all: `code`, or kInternal with a message when `code` is kFine
/// and standard output could not take everything (a full disk). A reader that went away is no failure.
int codeAfterOutput(int code);
/// "vramscope: MESSAGE" to standard error.
void complain(std::string_view message);
/// complain() about an error and the exit code that goes with it.
int fail(const Status& status);

/// Colours for standard output: with Auto only on a terminal that is not "dumb" and without NO_COLOR.
report::Style styleFor(ColourChoice choice);

}  // namespace vramscope::cli
