// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/command.h"

namespace vramscope::tests {

/// A simulated GPU machine and a folder of its own for one test, so that tests can run at the same time. Both
/// go at destruction.
class SimulatedMachine {
public:
    explicit SimulatedMachine(const std::string& memory = "2GiB");
    SimulatedMachine(const SimulatedMachine&) = delete;
    SimulatedMachine& operator=(const SimulatedMachine&) = delete;
    ~SimulatedMachine();

    const std::filesystem::path& folder() const { return m_folder; }
    std::filesystem::path operator/(const std::string& name) const { return m_folder / name; }

    /// A command that runs in the folder and finds the simulated driver.
    CommandLine command(std::vector<std::string> words) const;
    /// `vramscope-capture run OPTIONS -- JOB`.
    CommandLine recorded(const std::vector<std::string>& options, const std::vector<std::string>& job) const;

private:
    std::filesystem::path m_folder;
    std::filesystem::path m_device;
    std::string m_memory;
};

/// Programs of this build.
std::filesystem::path captureProgram();
std::filesystem::path analyzerProgram();
std::filesystem::path injectedLibraryFile();
std::filesystem::path samplesFolder();
/// The simulated libcuda.so.1 and libcupti.so.13.
std::filesystem::path simulatedLibraries();

}  // namespace vramscope::tests
