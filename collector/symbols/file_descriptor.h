// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace vramscope::symbols {

/// An open file, closed at destruction. Movable.
class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int descriptor) : m_descriptor(descriptor) {}
    FileDescriptor(FileDescriptor&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }
    ~FileDescriptor();

    bool isOpen() const { return m_descriptor >= 0; }
    int get() const { return m_descriptor; }

private:
    int m_descriptor = -1;
};

/// Opens a regular file for reading. With a `root` other than empty the path is looked up as a process would
/// whose root folder that is: no symbolic link leads out of it. Anything but a regular file (a pipe, a
/// device, which could block or answer for ever) is refused. Not open on any failure.
FileDescriptor openRegularFile(const std::string& root, const std::string& path);

/// Bytes of the file; 0 on failure.
std::uint64_t fileSizeBytes(const FileDescriptor& file);

/// Fills all of `bytes` from `offset`; false when the file ends before or cannot be read.
bool readFully(const FileDescriptor& file, std::uint64_t offset, std::span<std::byte> bytes);

}  // namespace vramscope::symbols
