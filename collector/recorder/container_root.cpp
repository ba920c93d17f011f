// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/container_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>

#include "formats/process_stat.h"

namespace vramscope::collector {

namespace {

bool isSameFile(const std::string& one, const std::string& other) {
    struct stat a {};
    struct stat b {};
    return ::stat(one.c_str(), &a) == 0 && ::stat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

std::uint64_t startOf(const std::string& processFolder) {
    std::ifstream file(processFolder + "/stat");
    std::string text;
    std::getline(file, text);
    return formats::startTicksOf(text.c_str());
}

}  // namespace

std::optional<ContainerRoot> ContainerRoot::of(std::uint32_t pid, std::uint64_t startTicks) {
    const std::string folder = fmt::format("/proc/{}", pid);
    if (isSameFile(folder + "/root", "/") && isSameFile(folder + "/ns/mnt", "/proc/self/ns/mnt")) return {};
    symbols::FileDescriptor root(::open((folder + "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    symbols::FileDescriptor mounts(::open((folder + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC));
    // Looked at last: what was opened belongs to the process that still has the number now.
    if (!root.isOpen() || startOf(folder) != startTicks) return {};
    return ContainerRoot(std::move(root), std::move(mounts));
}

std::string ContainerRoot::path() const {
    return fmt::format("/proc/self/fd/{}", m_root.get());
}

}  // namespace vramscope::collector
