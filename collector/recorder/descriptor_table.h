// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace vramscope::collector {

/// The file descriptors by which the processes of a session give each other memory. A descriptor has no
/// identity that could be read; but the kernel tells whether two of two processes are one open file (kcmp),
/// as long as both are open. Nothing is opened for that and nothing held.
class DescriptorTable {
public:
    /// `descriptor` of the process `pid` is what row `ipcHandleId` of ipc_handles gave, until that process
    /// gives something else under the same number.
    void exported(std::uint32_t pid, std::int32_t descriptor, std::int64_t ipcHandleId) {
        m_exports[{pid, descriptor}] = ipcHandleId;
    }
    /// The row that the descriptor of another or the same process leads to; 0 when it cannot be told.
    std::int64_t find(std::uint32_t pid, std::int32_t descriptor) const;
    void processEnded(std::uint32_t pid) {
        m_exports.erase(m_exports.lower_bound({pid, -1}), m_exports.lower_bound({pid + 1, -1}));
    }

private:
    std::map<std::pair<std::uint32_t, std::int32_t>, std::int64_t> m_exports;  ///< by pid and descriptor
};

}  // namespace vramscope::collector
