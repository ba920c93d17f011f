// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "analyzer/cli/console.h"
#include "analyzer/report/sharing_policy.h"

namespace vramscope::cli {

/// Accepts the names of `choices`, whatever their case, and says which there are when given another.
template <typename Enum>
CLI::Validator oneOf(const std::map<std::string, Enum>& choices) {
    return CLI::Validator(
        [choices](std::string& text) {
            std::string names;
            for (const auto& [name, value] : choices) {
                const std::string number = std::to_string(static_cast<int>(value));
                // CLI11 may ask again about what it got from us.
                if (CLI::detail::to_lower(text) == name || text == number) {
                    text = number;
                    return std::string();
                }
                names += (names.empty() ? "" : ", ") + name;
            }
            return "`" + text + "` is none of " + names;
        },
        "");
}

/// --policy FILE.
inline void addPolicyOption(CLI::App& verb, std::string& file) {
    verb.add_option("--policy", file, "Sharing between tasks that is meant, from `vramscope policy learn`")
        ->type_name("FILE");
}
/// Reads the file into `policy`, if one was given.
inline Status readPolicy(const std::string& file, report::SharingPolicy& policy) {
    if (file.empty()) return Status::ok();
    auto loaded = report::loadPolicy(file);
    if (loaded.isOk()) policy = std::move(*loaded);
    return loaded.status();
}

/// --color auto|always|never.
inline void addColourOption(CLI::App& verb, ColourChoice& choice) {
    static const std::map<std::string, ColourChoice> kChoices{
        {"auto", ColourChoice::Auto}, {"always", ColourChoice::Always}, {"never", ColourChoice::Never}};
    verb.add_option("--color", choice, "Colours: auto, always or never")
        ->transform(oneOf(kChoices))
        ->type_name("WHEN");
}

}  // namespace vramscope::cli
