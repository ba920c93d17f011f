// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collector/symbols/file_descriptor.h"

namespace vramscope::collector {

/// The files of a process that sees other ones than we do (in a container, after chroot), kept reachable
/// after its end: functions are named when the job is over. Movable.
class ContainerRoot {
public:
    /// nullopt when the process has our files, is gone already (`startTicks` tells whether the pid was
    /// reused), or may not be looked into.
    static std::optional<ContainerRoot> of(std::uint32_t pid, std::uint64_t startTicks);

    /// A folder of ours that stands for its root, valid as long as this lives.
    std::string path() const;

private:
    ContainerRoot(symbols::FileDescriptor root, symbols::FileDescriptor mounts)
        : m_root(std::move(root)), m_mounts(std::move(mounts)) {}

    symbols::FileDescriptor m_root;
    symbols::FileDescriptor m_mounts;  ///< its mount namespace, whose mounts would go with its last process
};

}  // namespace vramscope::collector
