// SPDX-License-Identifier: Apache-2.0
// No room for the capture: the user is told, and the job does not notice.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sys/mount.h>

#include "tests/integration/job_fixture.h"

namespace vramscope::tests {
namespace {

/// A file system of a given size, for as long as this lives. Needs the right to mount.
class SmallFileSystem {
public:
    SmallFileSystem(std::filesystem::path folder, const std::string& size) : m_folder(std::move(folder)) {
        std::filesystem::create_directory(m_folder);
        m_isMounted = ::mount("vramscope-test", m_folder.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
        if (!m_isMounted) m_reason = std::strerror(errno);
    }
    ~SmallFileSystem() {
        if (m_isMounted) ::umount2(m_folder.c_str(), MNT_DETACH);
    }
    bool isMounted() const { return m_isMounted; }
    const std::string& reason() const { return m_reason; }

private:
    std::filesystem::path m_folder;
    bool m_isMounted = false;
    std::string m_reason;
};

using FullDiskTest = JobTest;

TEST_F(FullDiskTest, TellsTheUserAndSparesTheJob) {
    const SmallFileSystem disk(m_machine / "disk", "1M");
    if (!disk.isMounted()) GTEST_SKIP() << "needs the right to mount a small file system: " << disk.reason();
    const CommandResult result =
        run(m_machine.recorded({"-o", "disk/job.vramscope"}, job({"threads-in-turn", "20000"})));
    EXPECT_FALSE(result.timedOut);
    EXPECT_EQ(result.exitCode, 0) << result.describe();
    EXPECT_NE(result.err.find("full"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("disk/job.vramscope"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("none lost"), std::string::npos) << "what was not written is lost\n"
                                                               << result.err;
    // What was written before can be read, and nobody may take it for the whole.
    OpenedCapture capture(m_machine / "disk/job.vramscope");
    ASSERT_TRUE(capture.isOpen());
    EXPECT_EQ(capture.text("SELECT value FROM meta WHERE key = 'state'"), "recording");
    EXPECT_GT(capture.number(kBufferCount), 0);
    for (const char* verb : {"summary", "report"}) {
        const CommandResult said = run(m_machine.command({analyzerProgram(), verb, "disk/job.vramscope"}));
        EXPECT_NE(said.out.find("stopped at"), std::string::npos) << said.describe();
        EXPECT_EQ(said.out.find("NO PROBLEMS FOUND\n"), std::string::npos) << said.describe();
    }
    EXPECT_EQ(result.err.find("no problems found\n"), std::string::npos) << result.err;
    const CommandResult check = run(m_machine.command({analyzerProgram(), "check", "disk/job.vramscope"}));
    EXPECT_EQ(check.exitCode, 3) << check.describe();
}

TEST_F(FullDiskTest, RunsTheJobWhenThereIsNoRoomAtAll) {
    const SmallFileSystem disk(m_machine / "disk", "64k");
    if (!disk.isMounted()) GTEST_SKIP() << "needs the right to mount a small file system: " << disk.reason();
    const CommandResult result = run(m_machine.recorded({"-o", "disk/job.vramscope"}, job({"code", "8"})));
    EXPECT_EQ(result.exitCode, 8) << result.describe();
    EXPECT_NE(result.err, "");
}

// A mount namespace of its own, so that nobody else's /dev/shm becomes small.
TEST_F(FullDiskTest, RecordsOnDiskWhenSharedMemoryIsFull) {
    if (const std::string why = whyNoMountNamespace(); !why.empty()) GTEST_SKIP() << why;
    CommandLine line = recording(job({"code", "8"}));
    const std::string script = "mount -t tmpfs -o size=64k vramscope-test /dev/shm || exit 99; exec \"$@\"";
    line.words.insert(line.words.begin(), {"unshare", "-m", "sh", "-c", script, "sh"});
    line.environment["VRAMSCOPE_SIM_DEVICE"] = (m_machine / "device").string();
    const CommandResult result = run(line);
    EXPECT_EQ(result.exitCode, 8) << result.describe();
    OpenedCapture capture(capturePath());
    EXPECT_EQ(capture.number(kBufferCount), 2) << result.describe();
    EXPECT_EQ(capture.lostCount(), 0);
}

}  // namespace
}  // namespace vramscope::tests
