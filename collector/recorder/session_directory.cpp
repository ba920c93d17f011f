// SPDX-License-Identifier: Apache-2.0
#include "collector/recorder/session_directory.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/recorder/session_settings.h"

namespace vramscope::collector {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCaptureLink = "capture";

fs::path temporaryRoot() {
    const char* configured = std::getenv("TMPDIR");
    return configured != nullptr && configured[0] == '/' ? configured : "/tmp";
}

// mkdtemp gives 0700 whatever the umask, and a name nobody can have prepared.
fs::path makeUnder(const fs::path& root) {
    std::string pattern = root / "vramscope-XXXXXX";
    return ::mkdtemp(pattern.data()) != nullptr ? fs::path(pattern) : fs::path();
}

bool isOwnFolder(const fs::path& path) {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
           (info.st_mode & 077) == 0;
}

// Another name than the session's own, which `recover` is given.
fs::path makeMarks() {
    for (const fs::path& root : {fs::path("/dev/shm"), temporaryRoot()}) {
        std::string pattern = root / "vramscope.marks-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) continue;
        if (::chmod(pattern.c_str(), 01733) == 0) return pattern;
        ::rmdir(pattern.c_str());
    }
    return {};
}

void listFiles(const fs::path& folder, const char* prefix, std::vector<fs::path>& found) {
    if (folder.empty()) return;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        if (at->path().filename().string().starts_with(prefix)) found.push_back(at->path());
    }
}

}  // namespace

StatusOr<SessionDirectory> SessionDirectory::create() {
    SessionDirectory session;
    session.m_primary = makeUnder("/dev/shm");
    session.m_fallback = makeUnder(temporaryRoot());
    if (session.m_primary.empty()) std::swap(session.m_primary, session.m_fallback);
    if (session.m_primary.empty()) {
        return Status(ErrorKind::System,
                      fmt::format("cannot make a folder for the recording in /dev/shm or {}: {}.",
                                  temporaryRoot().string(), std::strerror(errno)));
    }
    if (!session.m_fallback.empty()) {
        std::error_code error;
        fs::create_symlink(session.m_fallback, session.m_primary / "fallback", error);
    }
    session.m_marks = makeMarks();
    if (!session.m_marks.empty()) {
        std::error_code error;
        fs::create_symlink(session.m_marks, session.m_primary / "marks", error);
    }
    return session;
}

StatusOr<SessionDirectory> SessionDirectory::open(const fs::path& path) {
    SessionDirectory session;
    session.m_primary = path;
    if (!isOwnFolder(path)) {
        return Status(
            ErrorKind::Unreadable,
            fmt::format("{}: this is no recording session of yours (a folder that only you can read).",
                        path.string()));
    }
    std::error_code error;
    const fs::path fallback = fs::read_symlink(path / "fallback", error);
    if (!error && isOwnFolder(fallback)) session.m_fallback = fallback;
    const fs::path marks = fs::read_symlink(path / "marks", error);
    struct stat info {};
    if (!error && ::lstat(marks.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid())
        session.m_marks = marks;
    return session;
}

Status SessionDirectory::lock() {
    m_lockFile = ::open((m_primary / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    // Whoever looks for running sessions holds it for a moment.
    constexpr int kTries = 5;
    constexpr timespec kPause{0, 10'000'000};
    for (int i = 0; i < kTries && m_lockFile >= 0; ++i) {
        if (::flock(m_lockFile, LOCK_EX | LOCK_NB) == 0) return Status::ok();
        if (errno != EWOULDBLOCK) break;
        if (i + 1 < kTries) ::nanosleep(&kPause, nullptr);
    }
    const bool isTaken = m_lockFile >= 0 && errno == EWOULDBLOCK;
    return {ErrorKind::System,
            isTaken ? fmt::format("{}: a recorder is at work on this session.", m_primary.string())
                    : fmt::format("{}: {}.", m_primary.string(), std::strerror(errno))};
}

std::vector<fs::path> SessionDirectory::arenas() const {
    std::vector<fs::path> found;
    listFiles(m_primary, "arena-", found);
    listFiles(m_fallback, "arena-", found);
    return found;
}

std::vector<fs::path> SessionDirectory::leftMarks() const {
    std::vector<fs::path> found;
    for (const fs::path& folder : {m_primary, m_fallback, m_marks})
        listFiles(folder, "unrecorded-", found);
    return found;
}

Status SessionDirectory::writeCapturePath(const fs::path& capture) const {
    std::error_code error;
    fs::create_symlink(fs::absolute(capture), m_primary / kCaptureLink, error);
    if (error) return {ErrorKind::System, fmt::format("{}: {}.", m_primary.string(), error.message())};
    return Status::ok();
}

StatusOr<fs::path> SessionDirectory::readCapturePath() const {
    std::error_code error;
    fs::path capture = fs::read_symlink(m_primary / kCaptureLink, error);
    if (error) {
        return Status(
            ErrorKind::Unreadable,
            fmt::format("{}: this is no recording session: it names no capture.", m_primary.string()));
    }
    return capture;
}

std::vector<SessionDirectory> SessionDirectory::running() {
    std::vector<SessionDirectory> found;
    for (const fs::path& root : {fs::path("/dev/shm"), temporaryRoot()}) {
        std::vector<fs::path> folders;
        listFiles(root, "vramscope-", folders);
        for (const fs::path& folder : folders) {
            // A folder on disk alone is some session's second one.
            std::error_code error;
            if (!fs::exists(folder / "lock", error)) continue;
            StatusOr<SessionDirectory> session = open(folder);
            if (session.isOk() && session->isLocked()) found.push_back(std::move(*session));
        }
    }
    return found;
}

std::string SessionDirectory::name() const {
    const StatusOr<SessionSettings> settings = SessionSettings::read(*this);
    return settings.isOk() && !settings->name.empty() ? settings->name : m_primary.filename().string();
}

bool SessionDirectory::isLocked() const {
    const int file = ::open((m_primary / "lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return false;
    const bool isLocked = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(file);
    return isLocked;
}

void SessionDirectory::remove() const {
    std::error_code error;
    for (const fs::path& folder : {m_fallback, m_marks}) {
        if (!folder.empty()) fs::remove_all(folder, error);
    }
    fs::remove_all(m_primary, error);
}

}  // namespace vramscope::collector
