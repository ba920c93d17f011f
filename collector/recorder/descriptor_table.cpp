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

std::int64_t DescriptorTable::find(std::uint32_t pid, std::int32_t descriptor) const {
    if (descriptor < 0) return 0;
    if (const auto own = m_exports.find({pid, descriptor}); own != m_exports.end()) return own->second;
    for (const auto& [exported, ipcHandleId] : m_exports) {
        if (areOneFile(exported.first, exported.second, pid, descriptor)) return ipcHandleId;
    }
    return 0;
}

}  // namespace vramscope::collector
