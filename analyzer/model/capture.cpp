// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/capture.h"

namespace vramscope::model {

std::string_view Capture::fact(std::string_view key) const {
    const auto at = meta.find(key);
    return at == meta.end() ? std::string_view() : std::string_view(at->second);
}

std::string_view Capture::taskName(TaskId id) const {
    const Task* task = tasks.find(id);
    return task ? task->name : std::string_view("unassigned");
}

std::string_view Capture::programName(ProcessId id) const {
    const Process* process = processes.find(id);
    if (!process || process->executable.empty()) return "the program";
    return process->executable.substr(process->executable.rfind('/') + 1);
}

std::int64_t Capture::endOf(ProcessId id) const {
    const Process* process = processes.find(id);
    return process && process->endNs != kNever ? process->endNs : endNs;
}

}  // namespace vramscope::model
