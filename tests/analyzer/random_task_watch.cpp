// SPDX-License-Identifier: Apache-2.0
// Kernels of a random program that write where no argument points, and what digests before and behind each
// launch show of it: what the launch itself wrote, and now and then what ran meanwhile.
#include <algorithm>

#include "tests/analyzer/random_task_program.h"

namespace vramscope::tests {
namespace {

constexpr std::int64_t kProcessTask = 1;

}  // namespace

void RandomTaskProgram::writeUnseen(const Call& call, std::size_t stream, std::size_t node) {
    m_launches.push_back({call.call, stream, node, 0});
    for (std::size_t count = pick(3); count > 0; --count) {
        const auto number = pickBuffer(call);
        if (!number) return;
        const auto id = static_cast<std::int64_t>(*number) + 1;
        if (didKernelWrite(call.call.enterNs, id)) continue;
        const Cell& cell = m_buffers[*number].cells[0];
        const Task born = m_bufferRows[*number].taskId.value;
        KernelWrite write{call.call.enterNs, id};
        const bool wasSaid =
            std::any_of(m_said.begin(), m_said.end(), [&](const Said& said) { return said.buffer == id; });
        write.isForeign = !wasSaid && born > kProcessTask && call.task > kProcessTask && born != call.task;
        const auto used = cell.usedBy.find(born);
        write.wasUsedBefore = used != cell.usedBy.end() && used->second < call.call.enterNs;
        m_kernelWrites.push_back(write);
        m_works.push_back({call.call, stream, node, id});
    }
}

bool RandomTaskProgram::didKernelWrite(std::int64_t enterNs, std::int64_t buffer) const {
    return std::any_of(m_kernelWrites.begin(), m_kernelWrites.end(), [&](const KernelWrite& write) {
        return write.enterNs == enterNs && write.buffer == buffer;
    });
}

/// Between the two digests of the launch, which are work of their own on its stream.
bool RandomTaskProgram::mayShowIn(const Work& launch, const Work& write) const {
    if (launch.node == write.node) return false;
    if (launch.stream == write.stream) {
        return launch.call.threadId != write.call.threadId && write.call.enterNs <= launch.call.exitNs &&
               launch.call.enterNs <= write.call.exitNs;
    }
    return !m_graph.isBefore(launch.node, write.node) && !m_graph.isBefore(write.node, launch.node);
}

void RandomTaskProgram::takeDigests() {
    for (const Work& launch : m_launches) {
        for (std::size_t i = 0; i < m_buffers.size(); ++i) {
            const auto id = static_cast<std::int64_t>(i) + 1;
            if (m_buffers[i].allocExitNs > launch.call.enterNs) continue;
            const bool isOthers =
                pick(2) == 0 && std::any_of(m_works.begin(), m_works.end(), [&](const Work& write) {
                    return write.buffer == id && mayShowIn(launch, write);
                });
            if (!isOthers && !didKernelWrite(launch.call.enterNs, id)) continue;
            model::DigestChange& change = m_capture.digestChanges.emplace_back();
            change.processId = launch.call.processId;
            change.bufferId = model::BufferId{id};
            change.threadId = launch.call.threadId;
            change.launchNs = change.fromNs = launch.call.enterNs;
            change.toNs = launch.call.exitNs;
            change.launch = {launch.call.enterNs,
                             launch.call.exitNs,
                             launch.call.threadId,
                             model::StreamId{static_cast<std::int64_t>(launch.stream) + 1},
                             {},
                             "kernel"};
        }
    }
}

void RandomTaskProgram::addDigestAccesses() {
    auto& accesses = m_capture.sharedAccesses.accesses;
    const std::size_t seen = accesses.size();
    for (std::size_t i = 0; i < m_capture.digestChanges.size(); ++i) {
        const model::DigestChange& change = m_capture.digestChanges[i];
        // Whose work it was is told by the pointer that the launch was given as well.
        const auto launch =
            std::find_if(accesses.begin(), accesses.begin() + static_cast<std::ptrdiff_t>(seen),
                         [&](const model::Access& access) {
                             return access.isLaunch && access.enterNs == change.launchNs;
                         });
        model::Access access = *launch;
        access.bufferId = change.bufferId;
        access.offset = 0;
        access.sizeBytes = static_cast<std::int64_t>(kCells) * kCellBytes;
        access.mayRead = false;
        access.digestChange = static_cast<std::int64_t>(i);
        accesses.push_back(access);
    }
    std::stable_sort(accesses.begin(), accesses.end(),
                     [](const model::Access& a, const model::Access& b) { return a.enterNs < b.enterNs; });
}

}  // namespace vramscope::tests
