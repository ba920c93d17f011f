// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace vramscope::collector {

/// The file descriptors by which the processes of a session give each other memory. A descriptor has no
/// identity that could be read; but the kernel tells whether two of two processes are one open file (kcmp),
/// as long as both are open. Nothing is opened for that and nothing held.
class DescriptorTable {
public:
    /// `descriptor` of the process `pid` is what row `ipcHandleId` of ipc_handles gave, until that process
    /// gives something else under the same number. Returns the rows of ipc_imports that waited for it:
    /// processes are read one after the other, so an import may be met before its export.
    std::vector<std::int64_t> exported(std::uint32_t pid, std::int32_t descriptor, std::int64_t ipcHandleId);
    /// The row that the descriptor of another or the same process leads to; 0 when it cannot be told.
    std::int64_t find(std::uint32_t pid, std::int32_t descriptor) const;
    /// Row `ipcImportId` of ipc_imports found nothing; it waits while its process lives.
    void wait(std::uint32_t pid, std::int32_t descriptor, std::int64_t ipcImportId);
    void processEnded(std::uint32_t pid);

private:
    using ByDescriptor = std::map<std::pair<std::uint32_t, std::int32_t>, std::int64_t>;
    ByDescriptor m_exports;  ///< rows of ipc_handles, by pid and descriptor
    ByDescriptor m_waiting;  ///< rows of ipc_imports, likewise
};

}  // namespace vramscope::collector
