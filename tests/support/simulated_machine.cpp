// SPDX-License-Identifier: Apache-2.0
#include "tests/support/simulated_machine.h"

#include <stdlib.h>
#include <unistd.h>

namespace vramscope::tests {

namespace fs = std::filesystem;

namespace {

/// In memory where possible: a device file on a disk makes the simulated GPU as slow as the disk.
fs::path folderForDevices() {
    return ::access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path();
}

fs::path makeFolder() {
    std::string pattern = fs::temp_directory_path() / "vramscope-integration-XXXXXX";
    return ::mkdtemp(pattern.data());
}

}  // namespace

SimulatedMachine::SimulatedMachine(const std::string& memory)
    : m_folder(makeFolder()),
      m_device(folderForDevices() / (m_folder.filename().string() + ".device")),
      m_memory(memory) {}

SimulatedMachine::~SimulatedMachine() {
    std::error_code error;
    fs::remove_all(m_folder, error);
    fs::remove(m_device, error);
}

CommandLine SimulatedMachine::command(std::vector<std::string> words) const {
    CommandLine line;
    line.words = std::move(words);
    line.folder = m_folder;
    line.environment = {{"LD_LIBRARY_PATH", simulatedLibraries().string()},
                        {"VRAMSCOPE_SIM_DEVICE", m_device.string()},
                        {"VRAMSCOPE_SIM_MEMORY", m_memory},
                        {"TMPDIR", m_folder.string()},
                        // Nothing of the shell that runs the tests may decide them.
                        {"CUDA_INJECTION64_PATH", std::nullopt},
                        {"NO_COLOR", "1"},
                        {"RANK", std::nullopt}};
    return line;
}

CommandLine SimulatedMachine::recorded(const std::vector<std::string>& options,
                                       const std::vector<std::string>& job) const {
    std::vector<std::string> words{captureProgram().string(), "run"};
    words.insert(words.end(), options.begin(), options.end());
    words.emplace_back("--");
    words.insert(words.end(), job.begin(), job.end());
    return command(std::move(words));
}

fs::path captureProgram() {
    return fs::path(VRAMSCOPE_BUILD_FOLDER) / "bin" / "vramscope-capture";
}
fs::path analyzerProgram() {
    return fs::path(VRAMSCOPE_BUILD_FOLDER) / "bin" / "vramscope";
}
fs::path injectedLibraryFile() {
    return fs::path(VRAMSCOPE_BUILD_FOLDER) / "lib" / "libvramscope.so";
}
fs::path samplesFolder() {
    return fs::path(VRAMSCOPE_BUILD_FOLDER) / "bin" / "samples";
}
fs::path simulatedLibraries() {
    return fs::path(VRAMSCOPE_BUILD_FOLDER) / "lib" / "sim";
}

}  // namespace vramscope::tests
