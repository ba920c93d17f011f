// SPDX-License-Identifier: Apache-2.0
// `vramscope-capture doctor` and `demo` on machines that are in order and on machines that are not.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/opened_capture.h"
#include "tests/support/simulated_machine.h"

namespace vramscope::tests {
namespace {

namespace fs = std::filesystem;

class Doctor : public testing::Test {
protected:
    CommandLine doctor(std::vector<std::string> options = {}) const {
        std::vector<std::string> words{captureProgram().string(), "doctor"};
        words.insert(words.end(), options.begin(), options.end());
        CommandLine line = m_machine.command(words);
        line.environment["NVTX_INJECTION64_PATH"] = std::nullopt;
        line.environment["CUDA_VISIBLE_DEVICES"] = std::nullopt;
        return line;
    }

    /// The result of the check `name`: "ok", "warn" or "FAIL"; its text and fix in `m_text` and `m_fix`.
    std::string resultOf(const CommandResult& result, const std::string& name) {
        const auto document = nlohmann::json::parse(result.out, nullptr, false);
        EXPECT_FALSE(document.is_discarded()) << result.describe();
        if (document.is_discarded()) return {};
        EXPECT_EQ(document["works"], result.exitCode == 0);
        for (const auto& check : document["checks"]) {
            if (check["name"] != name) continue;
            m_text = check["text"];
            m_fix = check.value("fix", "");
            EXPECT_EQ(m_fix.empty(), check["result"] == "ok") << check;
            return check["result"];
        }
        return "no check " + name;
    }

    SimulatedMachine m_machine;
    std::string m_text;
    std::string m_fix;
};

TEST_F(Doctor, AMachineInOrder) {
    const CommandResult result = run(doctor({"--json"}));
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    for (const char* name : {"version", "library", "driver", "devices", "cupti", "exact engine", "nvml",
                             "driver's door", "nvtx door"}) {
        EXPECT_EQ(resultOf(result, name), "ok") << name << "\n" << result.out;
    }
    resultOf(result, "driver");
    EXPECT_NE(m_text.find(simulatedLibraries().string()), std::string::npos) << m_text;
    resultOf(result, "cupti");
    EXPECT_NE(m_text.find((simulatedLibraries() / "libcupti.so.13").string()), std::string::npos) << m_text;
}

TEST_F(Doctor, TheExactEngineIsNamedAndNeverFails) {
    CommandLine line = doctor({"--json"});
    const CommandResult found = run(line);
    EXPECT_EQ(resultOf(found, "exact engine"), "ok") << found.describe();
    EXPECT_NE(m_text.find((simulatedLibraries() / "libsanitizer-public.so").string()), std::string::npos)
        << m_text;
    line.environment["VRAMSCOPE_SANITIZER"] = "/nowhere";
    const CommandResult missing = run(line);
    EXPECT_EQ(missing.exitCode, 0) << missing.describe();
    EXPECT_EQ(resultOf(missing, "exact engine"), "ok") << missing.describe();
    EXPECT_NE(m_text.find("libsanitizer-public.so was not found"), std::string::npos) << m_text;
}

TEST_F(Doctor, TextHasALineACheck) {
    const CommandResult result = run(doctor());
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    EXPECT_NE(result.out.find("ok    driver            CUDA 13.0"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("\nA run would work here.\n"), std::string::npos) << result.out;
    EXPECT_EQ(result.err, "");
}

TEST_F(Doctor, NothingIsLeftBehind) {
    run(doctor());
    EXPECT_TRUE(fs::is_empty(m_machine.folder()));
}

TEST_F(Doctor, ADriverWithoutDevices) {
    CommandLine line = doctor({"--json"});
    line.environment["VRAMSCOPE_SIM_DEVICES"] = "0";
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 1) << result.describe();
    EXPECT_EQ(resultOf(result, "driver"), "FAIL") << result.out;
    EXPECT_NE(m_fix.find("nvidia-smi"), std::string::npos) << m_fix;
}

TEST_F(Doctor, ADriverThatCrashes) {
    const fs::path folder = m_machine / "broken";
    fs::create_directory(folder);
    fs::copy_file(VRAMSCOPE_BROKEN_DRIVER, folder / "libcuda.so.1");
    CommandLine line = doctor({"--json"});
    line.environment["LD_LIBRARY_PATH"] = folder.string();
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 1) << result.describe();
    EXPECT_EQ(resultOf(result, "driver"), "FAIL") << result.out;
    EXPECT_NE(m_text.find("crashed"), std::string::npos) << m_text;
}

TEST_F(Doctor, AnotherToolHoldsTheDriversDoor) {
    CommandLine line = doctor({"--json"});
    line.environment["CUDA_INJECTION64_PATH"] = "/opt/other/libtool.so";
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 1) << result.describe();
    EXPECT_EQ(resultOf(result, "driver's door"), "FAIL") << result.out;
    EXPECT_NE(m_text.find("/opt/other/libtool.so"), std::string::npos) << m_text;
    EXPECT_NE(m_fix.find("unset CUDA_INJECTION64_PATH"), std::string::npos) << m_fix;
}

TEST_F(Doctor, AnotherToolHoldsTheNvtxDoor) {
    CommandLine line = doctor({"--json"});
    line.environment["NVTX_INJECTION64_PATH"] = "/opt/other/libtool.so";
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    EXPECT_EQ(resultOf(result, "nvtx door"), "warn") << result.out;
}

TEST_F(Doctor, ATraceOfNsightInTheEnvironment) {
    CommandLine line = doctor({"--json"});
    line.environment["NSYS_PROFILING_SESSION_ID"] = "4711";
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    EXPECT_EQ(resultOf(result, "other profilers"), "warn") << result.out;
}

TEST_F(Doctor, ARivalAmongOurParents) {
    // A shell under the profiler's name, which waits for us as the profiler would.
    fs::copy_file("/bin/sh", m_machine / "nsys", fs::copy_options::none);
    CommandLine line = doctor();
    line.words = {(m_machine / "nsys").string(), "-c", "\"$0\" doctor --json; exit $?",
                  captureProgram().string()};
    const CommandResult result = run(line);
    EXPECT_EQ(resultOf(result, "other profilers"), "warn") << result.describe();
    EXPECT_NE(m_text.find("nsys (process "), std::string::npos) << m_text;
}

TEST_F(Doctor, ATmpdirThatIsNotThere) {
    CommandLine line = doctor({"--json"});
    line.environment["TMPDIR"] = (m_machine / "nowhere").string();
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 0) << "there is /dev/shm: " << result.describe();
    EXPECT_EQ(resultOf(result, "TMPDIR"), "warn") << result.out;
    line.environment["TMPDIR"] = "nowhere";
    EXPECT_EQ(resultOf(run(line), "TMPDIR"), "warn") << result.out;
    EXPECT_NE(m_text.find("not an absolute path"), std::string::npos) << m_text;
}

TEST_F(Doctor, TheCuptiOfPythonIsShown) {
    const fs::path packages = m_machine / "packages";
    fs::create_directories(packages / "nvidia/cu13/lib");
    fs::copy_file(simulatedLibraries() / "libcupti.so.13", packages / "nvidia/cu13/lib/libcupti.so.13");
    const fs::path python = m_machine / "python3";
    std::ofstream(python) << "#!/bin/sh\necho " << packages.string() << "\n";
    fs::permissions(python, fs::perms::owner_all);
    CommandLine line = doctor({"--json"});
    line.environment["PATH"] = m_machine.folder().string() + ":/usr/bin:/bin";
    const CommandResult result = run(line);
    EXPECT_EQ(resultOf(result, "cupti of python"), "ok") << result.describe();
    EXPECT_NE(m_text.find((packages / "nvidia/cu13/lib/libcupti.so.13").string()), std::string::npos)
        << m_text;
}

TEST_F(Doctor, AReaderThatGoesAwayIsNoReasonToCrash) {
    for (const std::string start : {"", "trap '' PIPE; "}) {
        for (const std::string verb : {"doctor", "doctor --json"}) {
            CommandLine line = doctor();
            line.words = {"sh", "-c", start + "(\"$0\" " + verb + "; echo code $? >&2) | true",
                          captureProgram().string()};
            const CommandResult result = run(line);
            EXPECT_EQ(result.err.find("terminate"), std::string::npos) << result.describe();
            EXPECT_EQ(result.err.find("code 134"), std::string::npos) << result.describe();
        }
    }
}

TEST_F(Doctor, DemoRecordsOnTheDeviceThatItNames) {
    CommandLine line =
        m_machine.command({captureProgram().string(), "demo", "--simulated", "-o", "demo.vramscope"});
    line.timeout = std::chrono::seconds(90);
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    EXPECT_NE(result.err.find("no GPU is used: as you asked"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("this was a SIMULATED device"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("demo.vramscope"), std::string::npos) << result.err;
    EXPECT_NE(result.out.find("leak.growth"), std::string::npos) << result.out;
    OpenedCapture capture(m_machine / "demo.vramscope");
    EXPECT_EQ(capture.number("SELECT count(*) FROM buffers"), 24 * 5);
}

TEST_F(Doctor, DemoNeverOverwrites) {
    std::ofstream(m_machine / "mine.vramscope") << "mine";
    const CommandResult result =
        run(m_machine.command({captureProgram().string(), "demo", "--simulated", "-o", "mine.vramscope"}));
    EXPECT_NE(result.exitCode, 0) << result.describe();
    EXPECT_EQ(fs::file_size(m_machine / "mine.vramscope"), 4u);
}

}  // namespace
}  // namespace vramscope::tests
