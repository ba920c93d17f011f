// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/job_ending.h"

#include <fmt/format.h>
#include <string_view>

namespace vramscope::model {
namespace {

std::string_view fileName(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

std::string placeText(std::string_view file, std::int64_t line) {
    return line > 0 ? fmt::format("{}:{}", fileName(file), line) : std::string(fileName(file));
}

}  // namespace

const JobException* lastExceptionOf(const Capture& capture, ProcessId process) {
    const JobException* last = nullptr;
    for (const JobException& exception : capture.jobExceptions) {
        const bool isLater = last == nullptr || exception.timeNs >= last->timeNs;
        if (exception.processId == process && isLater) last = &exception;
    }
    return last;
}

std::string describeException(const JobException& exception) {
    std::string text = fmt::format("an uncaught {}", exception.type);
    const std::string raised = placeText(exception.file, exception.line);
    const std::string script =
        exception.scriptFile.empty() ? raised : placeText(exception.scriptFile, exception.scriptLine);
    if (!script.empty()) text += fmt::format(" at {}", script);
    if (!raised.empty() && raised != script) text += fmt::format(" (raised at {})", raised);
    return text;
}

std::optional<BadEnding> badEndingOf(const Capture& capture, ProcessId id) {
    const Process* process = capture.processes.find(id);
    if (process == nullptr) return std::nullopt;
    if (const JobException* exception = lastExceptionOf(capture, id))
        return BadEnding{exception->timeNs, describeException(*exception)};
    if (process->endNs == kNever) return std::nullopt;
    if (process->endKind == "killed" && process->exitSignal)
        return BadEnding{process->endNs,
                         fmt::format("signal {} ended pid {}", *process->exitSignal, process->pid)};
    if (process->endKind == "exited" && process->exitCode.value_or(0) != 0)
        return BadEnding{process->endNs,
                         fmt::format("pid {} ended with code {}", process->pid, *process->exitCode)};
    return std::nullopt;
}

}  // namespace vramscope::model
