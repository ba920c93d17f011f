// SPDX-License-Identifier: Apache-2.0
#include "collector/launcher/demo_command.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

#include "collector/launcher/capture_name.h"
#include "collector/launcher/driver_probe.h"
#include "collector/launcher/sibling_program.h"
#include "collector/recorder/tell_user.h"

namespace vramscope::collector {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSample = "leak_growth";
constexpr int kNotInstalled = 4;

int complain(const std::string& text) {
    tellUser("vramscope: {}\n", text);
    return kNotInstalled;
}

// Installed, or in a build tree.
fs::path findSample() {
    std::error_code error;
    for (const fs::path& folder :
         {programFolder().parent_path() / "libexec" / "vramscope", programFolder() / "samples"}) {
        if (fs::exists(folder / kSample, error)) return folder / kSample;
    }
    return {};
}

// The folder of the simulated driver; empty if it is not there.
fs::path findSimulation() {
    std::error_code error;
    fs::path folder = programFolder().parent_path() / "lib" / "sim";
    return fs::exists(folder / "libcuda.so.1", error) ? folder : fs::path();
}

// The simulated device's file, which is its memory: in a folder of its own that goes with us.
class SimulatedDevice {
public:
    SimulatedDevice() = default;
    SimulatedDevice(const SimulatedDevice&) = delete;
    SimulatedDevice& operator=(const SimulatedDevice&) = delete;
    ~SimulatedDevice() {
        std::error_code error;
        if (!m_folder.empty()) fs::remove_all(m_folder, error);
    }

    /// Programs that are started from here on find the driver in `libraries` before any other.
    void use(const fs::path& libraries) {
        const char* before = std::getenv("LD_LIBRARY_PATH");
        std::string paths = libraries;
        if (before != nullptr && before[0] != '\0') paths.append(1, ':').append(before);
        ::setenv("LD_LIBRARY_PATH", paths.c_str(), 1);
        if (std::getenv("VRAMSCOPE_SIM_DEVICE") != nullptr) return;
        std::error_code error;
        // On a disk the device would be as slow as the disk.
        for (const fs::path& root : {fs::path("/dev/shm"), fs::temp_directory_path(error)}) {
            std::string pattern = root / "vramscope-demo-XXXXXX";
            if (::mkdtemp(pattern.data()) == nullptr) continue;
            m_folder = pattern;
            ::setenv("VRAMSCOPE_SIM_DEVICE", (m_folder / "device").c_str(), 1);
            return;
        }
    }

private:
    fs::path m_folder;
};

// What the program will run on, in words; empty when there is nothing, with the reason told. Prepares the
// environment for it.
std::string chooseDevice(bool simulated, SimulatedDevice& device) {
    std::string reason = "as you asked";
    if (!simulated) {
        const DriverProbe driver = probeDriver();
        if (driver.works())
            return fmt::format("the GPU: {}, CUDA {}", driver.devices.front(), driver.versionText());
        reason = driver.trouble;
    }
    const fs::path simulation = findSimulation();
    if (simulation.empty()) {
        complain(fmt::format("{}, and the simulated driver is not installed (../lib/sim).", reason));
        return {};
    }
    device.use(simulation);
    tellUser("vramscope: no GPU is used: {}\n", reason);
    return "a SIMULATED device";
}

}  // namespace

DemoCommand::DemoCommand(CLI::App& app) {
    m_verb = app.add_subcommand("demo", "record a small program and show what was found");
    m_verb->add_option("-o,--output", m_output, "capture to write; else the next free name");
    m_verb->add_flag("--simulated", m_simulated, "use the simulated device even if there is a GPU");
}

int DemoCommand::record(const fs::path& sample, const fs::path& capture, const std::string& device) const {
    tellUser("vramscope: a program that leaks, on {}\n", device);
    tellUser("  vramscope run -o {} -- {}\n", capture.string(), sample.string());
    const std::optional<int> code =
        runSibling("vramscope-capture", {"run", "-o", capture.string(), "--", sample.string()}, nullptr);
    if (!code) return complain("vramscope-capture cannot start itself; the installation is incomplete.");
    return *code;
}

int DemoCommand::execute() const {
    const fs::path sample = findSample();
    if (sample.empty())
        return complain("the demonstration's program is not installed (../libexec/vramscope/leak_growth).");
    const fs::path capture = m_output.empty() ? freeCaptureName(kSample) : expandCaptureName(m_output);
    SimulatedDevice simulated;
    const std::string device = chooseDevice(m_simulated, simulated);
    if (device.empty()) return kNotInstalled;
    if (const int code = record(sample, capture, device); code != 0) return code;
    std::error_code error;
    if (!fs::exists(capture, error))
        return complain("the program ran, but was not recorded; `vramscope doctor` says why.");

    tellUser("\n  vramscope report {}\n", capture.string());
    const std::optional<int> code = runSibling("vramscope", {"report", capture.string()}, nullptr);
    if (!code)
        return complain("the program vramscope is not installed beside this one; the report needs it.");
    tellUser(
        "\nvramscope: this was {}\n  The capture is {}. Your own program: vramscope run -- python train.py\n",
        device, fs::absolute(capture, error).string());
    return *code;
}

}  // namespace vramscope::collector
