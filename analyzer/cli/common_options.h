// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "analyzer/cli/console.h"

namespace vramscope::cli {

/// --color auto|always|never.
inline void addColourOption(CLI::App& verb, ColourChoice& choice) {
    static const std::map<std::string, ColourChoice> kChoices{
        {"auto", ColourChoice::Auto}, {"always", ColourChoice::Always}, {"never", ColourChoice::Never}};
    verb.add_option("--color", choice, "Colours: auto, always or never")
        ->transform(CLI::CheckedTransformer(kChoices, CLI::ignore_case).description(""))
        ->type_name("WHEN");
}

}  // namespace vramscope::cli
