// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/breakdown.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

#include "analyzer/model/library_cache.h"
#include "analyzer/model/live_timeline.h"
#include "analyzer/model/ownership.h"
#include "analyzer/model/stack_text.h"

namespace vramscope::model {
namespace {

std::string processLabel(const Capture& capture, ProcessId id) {
    const Process* process = capture.processes.find(id);
    if (!process) return "unknown process";
    std::string label = fmt::format("{} pid {}", capture.programName(id), process->pid);
    if (process->rank) label += fmt::format(" rank {}", *process->rank);
    return label;
}

/// Adds up shares under labels.
class Shares {
public:
    Shares(const Capture& capture, SplitBy split) : m_capture(capture), m_split(split), m_libraries(capture) {
        for (const Task& task : capture.tasks) {
            if (task.origin == "process") m_taskOfProcess.emplace(task.processId, task.id);
        }
    }

    void add(ProcessId process, TaskId task, BufferKind kind, StackId stack, std::int64_t bytes) {
        addUnder(labelOf(process, task, kind, stack), stack, bytes);
    }
    void addUnder(const std::string& label, StackId stack, std::int64_t bytes) {
        Share& share = m_shares[label];
        if (share.bufferCount == 0) {
            share.label = label;
            share.stack = m_split == SplitBy::Stack ? stack : StackId();
        }
        share.bytes = addClamped(share.bytes, bytes);
        ++share.bufferCount;
    }
    /// A buffer's bytes: under its label, or under those of the owners of its parts.
    void addBuffer(const Buffer& b, const Ownership* ownership) {
        if (ownership == nullptr) return add(b.processId, b.taskId, b.kind, b.allocStackId, b.sizeBytes);
        for (const Owned& part : ownership->ownersOf(b, 0, b.sizeBytes)) {
            const std::string label =
                part.isHeap ? "pool" : labelOf(b.processId, part.taskId, b.kind, b.allocStackId);
            addUnder(label, b.allocStackId, part.sizeBytes);
        }
    }
    std::vector<Share> sorted() {
        std::vector<Share> shares;
        for (auto& [label, share] : m_shares)
            shares.push_back(std::move(share));
        std::sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
            return a.bytes != b.bytes ? a.bytes > b.bytes : a.label < b.label;
        });
        return shares;
    }

private:
    std::string labelOf(ProcessId process, TaskId task, BufferKind kind, StackId stack) {
        switch (m_split) {
            case SplitBy::Process:
                return processLabel(m_capture, process);
            case SplitBy::Task:
                return std::string(m_capture.taskName(task.isNone() ? ownTaskOf(process) : task));
            case SplitBy::Library:
                return m_libraries.of(stack, process).name;
            case SplitBy::Kind:
                return std::string(description(kind));
            case SplitBy::Stack:
                return placeOf(stack);
        }
        return "";
    }
    /// The task that a process is by itself: of memory for which the record names none.
    TaskId ownTaskOf(ProcessId process) const {
        const auto at = m_taskOfProcess.find(process);
        return at == m_taskOfProcess.end() ? TaskId() : at->second;
    }
    const std::string& placeOf(StackId stack) {
        const auto at = m_places.find(stack.value);
        if (at != m_places.end()) return at->second;
        return m_places.emplace(stack.value, shortPlace(m_capture, stack)).first->second;
    }

    const Capture& m_capture;
    SplitBy m_split;
    LibraryCache m_libraries;
    std::map<ProcessId, TaskId> m_taskOfProcess;
    std::unordered_map<std::int64_t, std::string> m_places;
    std::unordered_map<std::string, Share> m_shares;
};

/// Owners only matter where a program said that memory changed hands.
bool asksForOwners(const Capture& capture, SplitBy split) {
    return split == SplitBy::Task && !(capture.ownershipChanges.empty() && capture.subBuffers.empty());
}

template <typename WantsBuffer, typename WantsHandle>
std::vector<Share> sharesOf(const Capture& capture, SplitBy split, std::int64_t timeNs,
                            WantsBuffer wantsBuffer, WantsHandle wantsHandle) {
    Shares shares(capture, split);
    const TaskTimeline tasks(capture);
    Ownership owners(capture, tasks);
    owners.advanceTo(timeNs);
    const Ownership* ownership = asksForOwners(capture, split) ? &owners : nullptr;
    std::unordered_map<std::int64_t, TaskId> tasksOfHandles;
    for (const Buffer& b : capture.buffers) {
        if (b.kind == BufferKind::Vmm && !b.handleId.isNone())
            tasksOfHandles.emplace(b.handleId.value, b.taskId);
        if (wantsBuffer(b) && countsAsLive(capture, b)) {
            shares.addBuffer(b, ownership);
        }
    }
    // Physical memory belongs to the task that mapped it first.
    const auto taskOf = [&](const VmmHandle& h) {
        const auto at = tasksOfHandles.find(h.id.value);
        return at == tasksOfHandles.end() ? TaskId() : at->second;
    };
    for (const VmmHandle& h : capture.vmmHandles) {
        if (!h.deviceId.isNone() && wantsHandle(h)) {
            shares.add(h.processId, taskOf(h), BufferKind::Vmm, h.createStackId, h.sizeBytes);
        }
    }
    return shares.sorted();
}

}  // namespace

std::string_view name(SplitBy split) {
    switch (split) {
        case SplitBy::Process:
            return "process";
        case SplitBy::Task:
            return "task";
        case SplitBy::Library:
            return "library";
        case SplitBy::Kind:
            return "kind";
        case SplitBy::Stack:
            return "stack";
    }
    return "";
}

std::vector<Share> liveShares(const Capture& capture, std::int64_t timeNs, SplitBy split) {
    return sharesOf(
        capture, split, timeNs, [&](const Buffer& b) { return b.isLiveAt(timeNs); },
        [&](const VmmHandle& h) { return h.createNs <= timeNs && timeNs < h.endNs; });
}

std::vector<Share> sharesHeldAtEnd(const Capture& capture, SplitBy split) {
    return sharesOf(
        capture, split, capture.endNs, [](const Buffer& b) { return b.isHeldAtEnd(); },
        [&](const VmmHandle& h) { return isHeldAtEnd(capture, h); });
}

std::vector<Share> hostSharesHeldAtEnd(const Capture& capture, SplitBy split) {
    Shares shares(capture, split);
    for (const Buffer& b : capture.buffers) {
        if (b.isHeldAtEnd() && isPinnedHostMemory(b.kind)) {
            shares.add(b.processId, b.taskId, b.kind, b.allocStackId, b.sizeBytes);
        }
    }
    return shares.sorted();
}

std::int64_t totalBytes(const std::vector<Share>& shares) {
    std::int64_t total = 0;
    for (const Share& share : shares)
        total = addClamped(total, share.bytes);
    return total;
}

bool isHeldAtEnd(const Capture& capture, const VmmHandle& handle) {
    return handle.endNs == kNever || handle.endNs >= capture.endOf(handle.processId);
}

}  // namespace vramscope::model
