// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/exception_text.h"

#include <fmt/format.h>
#include <string_view>

#include "analyzer/report/style.h"

namespace vramscope::report {
namespace {

std::string_view fileName(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

std::string placeText(std::string_view file, std::int64_t line) {
    return line > 0 ? fmt::format("{}:{}", fileName(file), line) : std::string(fileName(file));
}

/// The program and what it runs, "python train.py"; options and what follows them are left out.
std::string commandStart(std::string_view program, std::string_view command) {
    const std::size_t space = command.find(' ');
    if (space == std::string_view::npos) return std::string(program);
    const std::string_view rest = command.substr(space + 1);
    const std::string_view second = rest.substr(0, rest.find(' '));
    if (second.empty() || second.front() == '-') return std::string(program);
    return fmt::format("{} {}", program, fileName(second));
}

}  // namespace

const model::JobException* lastExceptionOf(const model::Capture& capture, model::ProcessId process) {
    const model::JobException* last = nullptr;
    for (const model::JobException& exception : capture.jobExceptions) {
        const bool isLater = last == nullptr || exception.timeNs >= last->timeNs;
        if (exception.processId == process && isLater) last = &exception;
    }
    return last;
}

std::string exceptionText(const model::JobException& exception) {
    std::string text = fmt::format("an uncaught {}", exception.type);
    const std::string raised = placeText(exception.file, exception.line);
    const std::string script =
        exception.scriptFile.empty() ? raised : placeText(exception.scriptFile, exception.scriptLine);
    if (!script.empty()) text += fmt::format(" at {}", script);
    if (!raised.empty() && raised != script) text += fmt::format(" (raised at {})", raised);
    return printable(text);
}

std::string whoText(const model::Capture& capture, const model::Process& process) {
    const std::string who =
        process.rank ? fmt::format("rank {}", *process.rank) : fmt::format("pid {}", process.pid);
    return printable(
        fmt::format("{} ({})", who, commandStart(capture.programName(process.id), process.command)));
}

}  // namespace vramscope::report
