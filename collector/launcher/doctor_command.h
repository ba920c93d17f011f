// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "collector/launcher/doctor_check.h"

namespace vramscope::collector {

/// The verb `doctor`: says whether a run would work on this machine, and what to do if not.
class DoctorCommand {
public:
    /// Adds the verb to `app`. The command object must outlive parsing and execute().
    explicit DoctorCommand(CLI::App& app);

    bool isChosen() const { return m_verb->parsed(); }
    /// Prints all checks to standard output. 0 if a run would work, 1 if not.
    int execute() const;

private:
    CLI::App* m_verb;
    bool m_json = false;
};

}  // namespace vramscope::collector
