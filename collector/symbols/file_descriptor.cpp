// SPDX-License-Identifier: Apache-2.0
#include "collector/symbols/file_descriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vramscope::symbols {
namespace {

// O_NONBLOCK: opening a pipe for reading would otherwise wait for its writer.
constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

FileDescriptor openInRoot(const std::string& root, const std::string& path) {
    const FileDescriptor folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder.isOpen()) return {};
    struct open_how how {};
    how.flags = kOpenFlags;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    const long result = ::syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how);
    if (result >= 0) return FileDescriptor(static_cast<int>(result));
    // Kernels before 5.6, and sandboxes that do not know the call, answer one of these. Without it a link may
    // lead out of the root; the build id still decides whether the file is the right one.
    if (errno != ENOSYS && errno != EPERM) return {};
    return FileDescriptor(::open((root + "/" + path).c_str(), kOpenFlags));
}

}  // namespace

FileDescriptor::~FileDescriptor() {
    if (m_descriptor >= 0) ::close(m_descriptor);
}

FileDescriptor openRegularFile(const std::string& root, const std::string& path) {
    if (path.empty() || path.front() != '/') return {};
    FileDescriptor file = root.empty() || root == "/" ? FileDescriptor(::open(path.c_str(), kOpenFlags))
                                                      : openInRoot(root, path);
    if (!file.isOpen()) return {};
    struct stat status {};
    if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    return file;
}

std::uint64_t fileSizeBytes(const FileDescriptor& file) {
    struct stat status {};
    if (!file.isOpen() || ::fstat(file.get(), &status) != 0 || status.st_size < 0) return 0;
    return static_cast<std::uint64_t>(status.st_size);
}

bool readFully(const FileDescriptor& file, std::uint64_t offset, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        offset += static_cast<std::uint64_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace vramscope::symbols
