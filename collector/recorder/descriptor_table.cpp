// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/descriptor_table.h"

#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vramscope::collector {

namespace {

bool areOneFile(std::uint32_t pidA, std::int32_t descriptorA, std::uint32_t pidB, std::int32_t descriptorB) {
    return ::syscall(SYS_kcmp, static_cast<pid_t>(pidA), static_cast<pid_t>(pidB), KCMP_FILE,
                     static_cast<unsigned long>(descriptorA), static_cast<unsigned long>(descriptorB)) == 0;
}

}  // namespace

std::vector<std::int64_t> DescriptorTable::exported(std::uint32_t pid, std::int32_t descriptor,
                                                    std::int64_t ipcHandleId) {
    m_exports[{pid, descriptor}] = ipcHandleId;
    std::vector<std::int64_t> found;
    std::erase_if(m_waiting, [&](const auto& import) {
        const auto& [importPid, importDescriptor] = import.first;
        if (!areOneFile(pid, descriptor, importPid, importDescriptor)) return false;
        found.push_back(import.second);
        return true;
    });
    return found;
}

void DescriptorTable::wait(std::uint32_t pid, std::int32_t descriptor, std::int64_t ipcImportId) {
    constexpr std::size_t kMostWaiting = 1024;
    if (descriptor >= 0 && m_waiting.size() < kMostWaiting) m_waiting[{pid, descriptor}] = ipcImportId;
}

void DescriptorTable::processEnded(std::uint32_t pid) {
    for (ByDescriptor* rows : {&m_exports, &m_waiting})
        rows->erase(rows->lower_bound({pid, -1}), rows->lower_bound({pid + 1, -1}));
}

std::int64_t DescriptorTable::find(std::uint32_t pid, std::int32_t descriptor) const {
    if (descriptor < 0) return 0;
    if (const auto own = m_exports.find({pid, descriptor}); own != m_exports.end()) return own->second;
    for (const auto& [exported, ipcHandleId] : m_exports) {
        if (areOneFile(exported.first, exported.second, pid, descriptor)) return ipcHandleId;
    }
    return 0;
}

}  // namespace vramscope::collector
