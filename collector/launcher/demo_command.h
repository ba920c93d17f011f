// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

namespace vramscope::collector {

/// The verb `demo`: records a small program that leaks and shows the report, on the GPU or, where there is
/// none, on the simulated device that is installed with us. It says which of the two it was.
class DemoCommand {
public:
    /// Adds the verb to `app`. The command object must outlive parsing and execute().
    explicit DemoCommand(CLI::App& app);

    bool isChosen() const { return m_verb->parsed(); }
    /// 0 when all went well, 4 when something is not installed, else the exit code of what failed.
    int execute() const;

private:
    int record(const std::filesystem::path& sample, const std::filesystem::path& capture,
               const std::string& device) const;

    CLI::App* m_verb;
    std::string m_output;
    bool m_simulated = false;
};

}  // namespace vramscope::collector
