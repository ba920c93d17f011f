// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <string>

namespace vramscope::cli {

/// Help that begins with examples: a verb keeps them in its footer, which is moved to the top.
class ExamplesFirst : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        if (app->get_parent() == nullptr || mode != CLI::AppFormatMode::Normal) {
            return CLI::Formatter::make_help(app, std::move(name), mode);
        }
        return fmt::format("{}\n\n{}\n\n{}{}{}", app->get_description(), app->get_footer(),
                           make_usage(app, name), make_positionals(app), make_groups(app, mode));
    }
};

}  // namespace vramscope::cli
