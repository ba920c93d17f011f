// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace vramscope::collector {

/// A libcupti file of this machine.
struct CuptiCopy {
    std::filesystem::path path;  ///< without symbolic links
    std::string origin;          ///< where it was found: "LD_LIBRARY_PATH", "toolkit" or "python3"
};

/// All copies of libcupti.so.12 and .13 in LD_LIBRARY_PATH, in the usual folders of toolkits and in the
/// packages of the python3 on PATH, each file once. Runs python3 in a child process.
std::vector<CuptiCopy> findCuptiCopies();

/// The file that a job under the python3 on PATH would load once it has loaded a CUDA framework from its
/// packages; empty if there is none. `copies` as above.
std::filesystem::path cuptiOfPython(const std::vector<CuptiCopy>& copies);

}  // namespace vramscope::collector
