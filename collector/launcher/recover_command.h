// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace vramscope::collector {

/// The verb `recover`: finishes a session whose recorder was killed.
class RecoverCommand {
public:
    /// Adds the verb to `app`. The command object must outlive parsing and execute().
    explicit RecoverCommand(CLI::App& app);

    bool isChosen() const { return m_verb->parsed(); }
    /// 0 when the capture is whole, 3 when the session or its capture cannot be read, 4 when the system
    /// refused.
    int execute();

private:
    CLI::App* m_verb;
    std::string m_directory;
};

}  // namespace vramscope::collector
