// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/process_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include "formats/process_stat.h"

namespace vramscope::collector {

namespace {

std::string textOf(std::uint32_t pid, const char* name) {
    std::ifstream file(fmt::format("/proc/{}/{}", pid, name));
    return {std::istreambuf_iterator<char>(file), {}};
}

// Counts from the last ')' because the program name before it may hold spaces and parentheses; `number` is
// that of proc(5), from 3 on. Null when there are not so many.
const char* statField(const std::string& stat, int number) {
    const char* at = std::strrchr(stat.c_str(), ')');
    for (int field = 2; at != nullptr && field < number; ++field) {
        at = std::strchr(at, ' ');
        if (at != nullptr) ++at;
    }
    return at;
}

const char* statusLine(const std::string& status, const char* key) {
    const std::size_t at = status.find(std::string("\n") + key + ":\t");
    return at == std::string::npos ? nullptr : status.c_str() + at + std::strlen(key) + 3;
}

// Real, effective and saved: the kernel wants all three to be the reader's (ptrace(2), access mode checks).
bool areAll(const char* line, unsigned long wanted) {
    for (int i = 0; line != nullptr && i < 3; ++i) {
        char* end = nullptr;
        if (std::strtoul(line, &end, 10) != wanted) return false;
        line = end;
    }
    return line != nullptr;
}

bool isOurUsers(std::uint32_t pid) {
    const std::string status = textOf(pid, "status");
    return areAll(statusLine(status, "Uid"), ::geteuid()) && areAll(statusLine(status, "Gid"), ::getegid());
}

bool calledItself(std::uint32_t pid, std::uint32_t innerPid) {
    const std::string status = textOf(pid, "status");
    const char* line = statusLine(status, "NSpid");
    if (line == nullptr) return false;
    // Outermost first; a process knows itself by the last.
    const std::string numbers(line, std::strcspn(line, "\n"));
    return numbers.substr(numbers.find_last_of('\t') + 1) == std::to_string(innerPid);
}

}  // namespace

std::uint64_t startTicksOfPid(std::uint32_t pid) {
    return formats::startTicksOf(textOf(pid, "stat").c_str());
}

bool isStillThere(std::uint32_t pid, std::uint64_t startTicks) {
    const std::string stat = textOf(pid, "stat");
    const char* state = statField(stat, 3);
    const bool hasEnded = state == nullptr || *state == 'Z' || *state == 'X';
    return !hasEnded && formats::startTicksOf(stat.c_str()) == startTicks;
}

std::optional<int> waitStatusOfZombie(std::uint32_t pid, std::uint64_t startTicks) {
    const std::string stat = textOf(pid, "stat");
    const char* state = statField(stat, 3);
    const char* exitCode = statField(stat, 52);
    if (state == nullptr || *state != 'Z' || exitCode == nullptr) return std::nullopt;
    if (formats::startTicksOf(stat.c_str()) != startTicks) return std::nullopt;
    const int status = std::atoi(exitCode);
    // To whom it may not tell the kernel says 0, which would read as a good end.
    if (status == 0 && !isOurUsers(pid)) return std::nullopt;
    return status;
}

std::optional<std::uint32_t> findInNamespaces(std::uint32_t innerPid, std::uint64_t startTicks) {
    namespace fs = std::filesystem;
    std::error_code error;
    for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
            continue;
        const auto pid = static_cast<std::uint32_t>(std::strtoul(name.c_str(), nullptr, 10));
        if (startTicksOfPid(pid) == startTicks && calledItself(pid, innerPid)) return pid;
    }
    return std::nullopt;
}

}  // namespace vramscope::collector
