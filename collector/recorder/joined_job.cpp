// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/joined_job.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include "collector/recorder/process_table.h"
#include "collector/recorder/session_settings.h"

namespace vramscope::collector {

namespace {

constexpr const char* kPrefix = "joined-";
constexpr std::size_t kMostBytes = 64 << 10;
/// More than a person starts by hand.
constexpr std::size_t kMostJobs = 1000;

// One line, and short enough to be read again.
std::string asLine(std::string text) {
    constexpr std::size_t kMostLetters = 1024;
    text.resize(std::min(text.size(), kMostLetters));
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

}  // namespace

StatusOr<JoinedJob> JoinedJob::join(const SessionDirectory& session, const std::string& command) {
    const auto self = static_cast<std::uint32_t>(::getpid());
    const std::filesystem::path path =
        session.primary() / fmt::format("{}{}-{}", kPrefix, self, startTicksOfPid(self));
    const int file =
        ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    JoinedJob job(file);
    // Waits at most for a look of the recorder.
    if (file < 0 || ::flock(file, LOCK_EX) != 0)
        return Status(ErrorKind::System, fmt::format("{}: {}.", path.string(), std::strerror(errno)));
    // The recorder closes the session before it looks for the last time who has a place.
    if (!SessionSettings::isOpen(session)) {
        ::unlink(path.c_str());
        return Status(ErrorKind::Unreadable, fmt::format("{}: this session takes no jobs: it is ending.",
                                                         session.primary().string()));
    }
    job.write("command " + asLine(command));
    return job;
}

JoinedJob::JoinedJob(JoinedJob&& other) noexcept : m_file(std::exchange(other.m_file, -1)) {}

JoinedJob::~JoinedJob() {
    if (m_file >= 0) ::close(m_file);
}

void JoinedJob::write(const std::string& line) const {
    const std::string whole = line + "\n";
    // A session that has gone needs no answer.
    [[maybe_unused]] const ssize_t written = ::write(m_file, whole.data(), whole.size());
}

void JoinedJob::childStarted(std::uint32_t pid) const {
    write(fmt::format("child {} {}", pid, startTicksOfPid(pid)));
}

void JoinedJob::childEnded(std::uint32_t pid, const ProcessEnd& end) const {
    if (end.signal) write(fmt::format("signal {} {}", pid, *end.signal));
    if (end.exitCode) write(fmt::format("exit {} {}", pid, *end.exitCode));
}

bool JoinedJobState::isRunning() const {
    return isLauncherAlive || std::any_of(children.begin(), children.end(), [](const Child& child) {
               return !child.end && child.startTicks != 0 && startTicksOfPid(child.pid) == child.startTicks;
           });
}

JoinedJobState JoinedJobState::read(const std::filesystem::path& path) {
    JoinedJobState state;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return state;
    state.isLauncherAlive = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    std::string text(kMostBytes, '\0');
    const ssize_t length = ::read(file, text.data(), text.size());
    ::close(file);
    text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    // A line that is still being written is the next look's.
    text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string what;
        std::uint32_t pid = 0;
        std::uint64_t number = 0;
        words >> what;
        if (what == "command") state.command = line.substr(std::min(line.size(), what.size() + 1));
        if (!(words >> pid >> number)) continue;
        if (what == "child") state.children.push_back({pid, number, {}});
        for (Child& child : state.children) {
            if (child.pid != pid || (what != "exit" && what != "signal")) continue;
            ProcessEnd end;
            (what == "exit" ? end.exitCode : end.signal) = static_cast<int>(number);
            child.end = end;
        }
    }
    return state;
}

std::vector<std::filesystem::path> JoinedJobState::all(const SessionDirectory& session) {
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (std::filesystem::directory_iterator at(session.primary(), error), end; !error && at != end;
         at.increment(error)) {
        if (found.size() < kMostJobs && at->path().filename().string().starts_with(kPrefix))
            found.push_back(at->path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace vramscope::collector
