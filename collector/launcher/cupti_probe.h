// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace vramscope::collector {

/// What a copy of CUPTI says when it is loaded beside this machine's driver.
struct CuptiProbe {
    std::string path;      ///< the file; empty when none could be loaded
    unsigned version = 0;  ///< CUPTI_API_VERSION; 0 when it could not be asked
    std::string trouble;   ///< why it cannot record; empty when it can

    /// "13.0 (API 130001)".
    std::string versionText() const;
    /// The major version of the CUDA that it belongs to.
    unsigned cudaMajor() const;
};

/// Does in a child process what the injected library does in a job: starts the driver, finds CUPTI,
/// subscribes.
CuptiProbe probeCuptiOfJob();

/// The same with the copy in `file`.
CuptiProbe probeCuptiCopy(const std::filesystem::path& file);

}  // namespace vramscope::collector
