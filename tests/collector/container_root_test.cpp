// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/container_root.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/symbols/file_descriptor.h"
#include "formats/process_stat.h"
#include "tests/formats/temporary_folder.h"

namespace vramscope::collector {
namespace {

namespace fs = std::filesystem;

std::uint64_t startTicksOf(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(file, text);
    return formats::startTicksOf(text.c_str());
}

/// A child that lives in `root` with a file system of its own mounted at /deep, until let go.
class ContainedChild {
public:
    explicit ContainedChild(const fs::path& root) {
        int ready[2];
        int end[2];
        EXPECT_EQ(::pipe(ready) + ::pipe(end), 0);
        m_pid = ::fork();
        if (m_pid == 0) live(root, ready[1], end);
        ::close(ready[1]);
        ::close(end[0]);
        m_end = end[1];
        EXPECT_EQ(::read(ready[0], &m_error, sizeof(m_error)), static_cast<ssize_t>(sizeof(m_error)));
        ::close(ready[0]);
    }
    ~ContainedChild() { letGo(); }

    void letGo() {
        if (m_pid <= 0) return;
        ::close(m_end);
        ::waitpid(m_pid, nullptr, 0);
        m_pid = 0;
    }
    pid_t pid() const { return m_pid; }
    /// Why it could not enter its root; 0 when it did.
    int error() const { return m_error; }

private:
    [[noreturn]] static void live(const fs::path& root, int ready, const int* end) {
        ::close(end[1]);
        const bool isInside = ::unshare(CLONE_NEWNS) == 0 &&
                              ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                              ::mount("vramscope-test", (root / "deep").c_str(), "tmpfs", 0, nullptr) == 0;
        const int error = isInside ? 0 : errno;
        if (isInside) std::ofstream(root / "deep/inside") << "inside";
        const int result = isInside && ::chroot(root.c_str()) != 0 ? errno : error;
        [[maybe_unused]] const ssize_t told = ::write(ready, &result, sizeof(result));
        char byte = 0;
        [[maybe_unused]] const ssize_t over = ::read(end[0], &byte, 1);
        ::_exit(0);
    }

    pid_t m_pid = -1;
    int m_end = -1;
    int m_error = 0;
};

TEST(ContainerRoot, KeepsFilesAndMountsReachableAfterTheProcessEnded) {
    formats::TemporaryFolder folder;
    fs::create_directories(folder / "deep");
    std::ofstream(folder / "plain") << "plain";
    ContainedChild child(folder.path());
    if (child.error() != 0) GTEST_SKIP() << "needs the right to mount: " << std::strerror(child.error());
    const auto root = ContainerRoot::of(static_cast<std::uint32_t>(child.pid()), startTicksOf(child.pid()));
    ASSERT_TRUE(root);
    child.letGo();
    EXPECT_TRUE(symbols::openRegularFile(root->path(), "/plain").isOpen());
    EXPECT_TRUE(symbols::openRegularFile(root->path(), "/deep/inside").isOpen());
    EXPECT_FALSE(fs::exists(folder / "deep/inside")) << "it was mounted for the child alone";
}

TEST(ContainerRoot, AProcessThatSeesOurFilesHasNone) {
    EXPECT_FALSE(ContainerRoot::of(static_cast<std::uint32_t>(::getpid()), startTicksOf(::getpid())));
}

TEST(ContainerRoot, AnotherProcessWithItsNumberIsNotTakenForIt) {
    formats::TemporaryFolder folder;
    fs::create_directories(folder / "deep");
    ContainedChild child(folder.path());
    if (child.error() != 0) GTEST_SKIP() << "needs the right to mount: " << std::strerror(child.error());
    EXPECT_FALSE(ContainerRoot::of(static_cast<std::uint32_t>(child.pid()), startTicksOf(child.pid()) + 1));
}

}  // namespace
}  // namespace vramscope::collector
