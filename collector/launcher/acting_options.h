// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "collector/launcher/child_process.h"
#include "formats/status.h"

namespace vramscope::collector {

/// The options of `run` under which the library acts in the job: guard bytes, poison, digests, perturbation.
struct ActingOptions {
    std::string guard;  ///< guard bytes behind each device allocation, or "slack"; empty: none
    bool guardsEveryLaunch = false;
    bool poisons = false;
    std::string watch;  ///< which buffers get digests; empty: none
    std::optional<std::uint64_t> perturbSeed;
    bool isParanoid = false;

    /// Adds them to `verb`. They must outlive parsing.
    void addTo(CLI::App& verb);
    /// Puts in what one option means for others. `recordMode` is that of --record, which some of them need to
    /// be all; else a Status for the user.
    Status settle(const std::string& recordMode, bool& launchStacks);
    /// What the library reads.
    void tell(EnvironmentChanges& changes) const;
    /// One line on what --paranoid turns on and is expected to cost; empty without it.
    std::string expectedCost() const;
};

}  // namespace vramscope::collector
