// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/exception_text.h"

#include <fmt/format.h>
#include <string_view>

#include "analyzer/model/job_ending.h"
#include "analyzer/report/style.h"

namespace vramscope::report {
namespace {

std::string_view fileName(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
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

std::string exceptionText(const model::JobException& exception) {
    return printable(model::describeException(exception));
}

std::string whoText(const model::Capture& capture, const model::Process& process) {
    const std::string who =
        process.rank ? fmt::format("rank {}", *process.rank) : fmt::format("pid {}", process.pid);
    return printable(
        fmt::format("{} ({})", who, commandStart(capture.programName(process.id), process.command)));
}

}  // namespace vramscope::report
