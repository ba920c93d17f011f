// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/session_settings.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/recorder/process_table.h"
#include "formats/arena.h"

namespace vramscope::collector {

namespace {

constexpr const char* kFile = "settings";
constexpr std::size_t kMostBytes = 64 << 10;

std::filesystem::path fileOf(const SessionDirectory& session) {
    return session.primary() / kFile;
}

// A line each; what holds a newline cannot be told.
void addLine(std::string& text, std::string_view key, std::string_view value) {
    if (value.find('\n') == std::string_view::npos) text.append(key).append("=").append(value).append("\n");
}

std::string readWhole(const std::filesystem::path& path) {
    std::string text(kMostBytes, '\0');
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return "";
    const ssize_t length = ::read(file, text.data(), text.size());
    ::close(file);
    text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return text;
}

/// Nothing else is set in a job, whatever the file says.
bool isJobVariable(std::string_view name) {
    return name.starts_with("VRAMSCOPE_") || name == "CUDA_INJECTION64_PATH" ||
           name == "NVTX_INJECTION64_PATH";
}

void take(std::string_view key, std::string_view value, SessionSettings& settings) {
    if (key == "version") settings.version = value;
    if (key == "name") settings.name = value;
    if (key == "pid")
        settings.recorderPid =
            static_cast<std::uint32_t>(std::strtoul(std::string(value).c_str(), nullptr, 10));
    if (key == "start") settings.recorderStartTicks = std::strtoull(std::string(value).c_str(), nullptr, 10);
    if (isJobVariable(key)) settings.environment.emplace_back(key, value);
}

}  // namespace

std::string SessionSettings::thisVersion() {
    return fmt::format("{} rings {}", VRAMSCOPE_VERSION, formats::kArenaVersion);
}

Status SessionSettings::write(const SessionDirectory& session) const {
    std::string text;
    addLine(text, "version", version);
    addLine(text, "name", name);
    addLine(text, "pid", std::to_string(recorderPid));
    addLine(text, "start", std::to_string(recorderStartTicks));
    for (const auto& [key, value] : environment)
        addLine(text, key, value);
    const std::filesystem::path path = fileOf(session);
    const std::string preparing = path.string() + ".new";
    const int file = ::open(preparing.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    const bool isWhole = file >= 0 && text.size() < kMostBytes &&
                         ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (file >= 0) ::close(file);
    if (isWhole && ::rename(preparing.c_str(), path.c_str()) == 0) return Status::ok();
    return {ErrorKind::System, fmt::format("{}: {}.", path.string(), std::strerror(errno))};
}

StatusOr<SessionSettings> SessionSettings::read(const SessionDirectory& session) {
    const std::string text = readWhole(fileOf(session));
    SessionSettings settings;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) break;
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end + 1);
        const std::size_t split = line.find('=');
        if (split != std::string_view::npos) take(line.substr(0, split), line.substr(split + 1), settings);
    }
    if (settings.version.empty())
        return Status(ErrorKind::Unreadable, fmt::format("{}: this session takes no jobs: it is ending.",
                                                         session.primary().string()));
    const bool isAlive = settings.recorderPid != 0 && session.isLocked() &&
                         isStillThere(settings.recorderPid, settings.recorderStartTicks);
    if (isAlive) return settings;
    return Status(ErrorKind::Unreadable,
                  fmt::format("{0}: the recorder of this session has gone. `vramscope recover {0}` finishes "
                              "its capture.",
                              session.primary().string()));
}

void SessionSettings::close(const SessionDirectory& session) {
    ::unlink(fileOf(session).c_str());
}

bool SessionSettings::isOpen(const SessionDirectory& session) {
    struct stat info {};
    return ::lstat(fileOf(session).c_str(), &info) == 0;
}

bool isSessionName(const std::string& text) {
    constexpr std::size_t kMostLetters = 63;
    constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return !text.empty() && text.size() <= kMostLetters && text[0] != '.' && text[0] != '-' &&
           text.find_first_not_of(kLetters) == std::string::npos && !text.starts_with("vramscope-");
}

StatusOr<SessionDirectory> findSession(const std::string& name) {
    if (name.find('/') != std::string::npos) return SessionDirectory::open(name);
    std::string others;
    for (SessionDirectory& session : SessionDirectory::running()) {
        const std::string called = session.name();
        if (called == name || session.primary().filename() == name) return std::move(session);
        others += (others.empty() ? "" : ", ") + called;
    }
    return Status(
        ErrorKind::Unreadable,
        others.empty()
            ? fmt::format(
                  "no session `{0}` is being recorded; `vramscope run --session {0} -- COMMAND` starts one.",
                  name)
            : fmt::format(
                  "no session `{0}` is being recorded, only {1}; `vramscope run --session {0} -- COMMAND` "
                  "starts one.",
                  name, others));
}

}  // namespace vramscope::collector
