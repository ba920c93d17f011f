// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace vramscope::collector {

/// What the CUDA driver of this machine says of itself.
struct DriverProbe {
    std::string path;                  ///< file of libcuda.so.1; empty when the loader finds none
    int version = 0;                   ///< CUDA version times 1000, as in 13000; 0 when it could not be asked
    std::vector<std::string> devices;  ///< names
    std::string trouble;               ///< why no job could use a GPU; empty when one could

    bool works() const { return trouble.empty(); }
    std::string versionText() const;  ///< "13.0"
};

/// Loads and starts the driver in a child process, as a job would but without anything injected.
DriverProbe probeDriver();

/// For the child: maps libcuda.so.1 and calls cuInit. Returns the library, or null. `error` becomes empty, or
/// what CUDA said.
void* startDriver(std::string& error);

}  // namespace vramscope::collector
