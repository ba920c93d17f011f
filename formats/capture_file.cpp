// SPDX-License-Identifier: Apache-2.0
#include "formats/capture_file.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "formats/event_tables.h"
#include "formats/older_formats.h"
#include "formats/schema.h"

namespace vramscope::formats {

namespace {

namespace fs = std::filesystem;

constexpr int kReaderBusyMs = 2000;
constexpr int kWriterBusyMs = 5000;
constexpr int kMostFinishTries = 40;
constexpr std::chrono::milliseconds kFinishPause{50};
// Room for 16 MiB of pages: the default of 4 MiB rewrites the same pages of small tables several times a
// second.
constexpr const char* kRecordingPragmas = "PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=4096";

fs::path beside(const fs::path& path, const char* suffix) {
    return fs::path(path).concat(suffix);
}

bool hasContent(const fs::path& path) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    return !error && bytes > 0;
}

// Bytes 18 and 19 are 2 while the database is in WAL mode.
bool headerSaysWal(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 20> header{};
    return file.read(header.data(), header.size()) && header[18] == 2;
}

bool folderIsWritable(const fs::path& path) {
    const fs::path folder = fs::absolute(path).parent_path();
    return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

Status explainOpenFailure(const fs::path& path, SideFiles sideFiles, Status status) {
    const std::string name = path.string();
    if (sideFiles == SideFiles::Journal) {
        return {ErrorKind::Unreadable, name +
                                           " was cut off in the middle of a change.\n  `vramscope recover " +
                                           name + "` finishes it."};
    }
    if (sideFiles == SideFiles::Wal && !folderIsWritable(path)) {
        return {
            ErrorKind::Unreadable,
            name + " was not finished: its latest part is in " + beside(path, "-wal").filename().string() +
                ", and reading both needs a folder that can be written to.\n  Copy the two files to such a "
                "folder and open the copy, or run `vramscope recover` where it was recorded."};
    }
    if (status.kind() == ErrorKind::Unreadable) {
        return {ErrorKind::Unreadable,
                status.message() + ": the file is damaged.\n  Copy it again from where it was recorded."};
    }
    return status;
}

Status checkPages(Connection& connection, std::uint64_t wholeCheckBytes) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto pages, connection.queryInt("PRAGMA page_count"));
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto pageBytes, connection.queryInt("PRAGMA page_size"));
    const auto bytes =
        static_cast<std::uint64_t>(pages.value_or(0)) * static_cast<std::uint64_t>(pageBytes.value_or(0));
    if (bytes > wholeCheckBytes) return Status::ok();
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto answer, connection.queryText("PRAGMA quick_check(1)"));
    const std::string verdict = answer.value_or("no verdict");
    if (verdict == "ok") return Status::ok();
    return {ErrorKind::Unreadable, connection.name() + " (SQLite: " + verdict + ")"};
}

Status prepareForReading(Connection& connection, std::uint64_t wholeCheckBytes) {
    connection.setBusyTimeout(kReaderBusyMs);
    VRAMSCOPE_RETURN_IF_ERROR(connection.exec("PRAGMA query_only=ON; SELECT 1 FROM sqlite_schema"));
    return checkPages(connection, wholeCheckBytes);
}

Status beingRecorded(const std::string& name) {
    return {ErrorKind::Usage, name +
                                  " is being recorded or read right now, so it is not replaced.\n  Give "
                                  "another name with -o, or wait until it is done."};
}

// Taking a file out of WAL mode works only for its sole user, so it shows whether a recorder has it open.
Status refuseIfRecording(const fs::path& path) {
    if (sideFilesOf(path) != SideFiles::Wal || !checkCaptureHeader(path).isOk()) return Status::ok();
    StatusOr<Connection> old = Connection::open(path, OpenMode::UntrustedWrite);
    if (!old.isOk()) return Status::ok();
    if (old->exec("PRAGMA journal_mode=DELETE").isOk() || old->lastCondition() != DatabaseCondition::Busy) {
        return Status::ok();
    }
    return beingRecorded(path.string());
}

Status removeOld(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        return {ErrorKind::Usage,
                path.string() + " is not a regular file, so it is not replaced. Give another name with -o."};
    }
    VRAMSCOPE_RETURN_IF_ERROR(refuseIfRecording(path));
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
        fs::remove(beside(path, suffix), error);
        if (error) {
            return {ErrorKind::System,
                    beside(path, suffix).string() + " cannot be replaced: " + error.message() + "."};
        }
    }
    return Status::ok();
}

Status createFile(const fs::path& path) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ::close(fd);
        return Status::ok();
    }
    if (errno == EEXIST) {
        return {ErrorKind::Usage,
                path.string() + " exists already. Add -f to replace it, or give another name with -o."};
    }
    return {ErrorKind::System, path.string() + " cannot be created: " + std::strerror(errno) + "."};
}

// Two recorders that begin at the same moment with -f and one name meet in the same new file.
Status explainBusy(const Connection& connection, Status status) {
    if (status.isOk() || connection.lastCondition() != DatabaseCondition::Busy) return status;
    return beingRecorded(connection.name());
}

Status startWal(Connection& connection) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto mode, connection.queryText("PRAGMA journal_mode=WAL"));
    if (mode != "wal") {
        return {ErrorKind::System,
                connection.name() +
                    " cannot be recorded on this file system (a network one, perhaps): it has no "
                    "shared memory files.\n  Record on a local disk and move the capture when it is done."};
    }
    // The first access makes NAME-wal, so that a reader never sees the file without it.
    return connection.exec("SELECT 1 FROM sqlite_schema");
}

}  // namespace

SideFiles sideFilesOf(const fs::path& path) {
    if (hasContent(beside(path, "-journal"))) return SideFiles::Journal;
    std::error_code error;
    if (fs::exists(beside(path, "-wal"), error)) return SideFiles::Wal;
    return headerSaysWal(path) ? SideFiles::WalMissing : SideFiles::None;
}

StatusOr<Connection> openCaptureForReading(const fs::path& path, std::uint64_t wholeCheckBytes) {
    VRAMSCOPE_RETURN_IF_ERROR(checkCaptureHeader(path));
    SideFiles sideFiles = sideFilesOf(path);
    // An empty -wal holds nothing; on a read-only medium it must not stand in the way.
    if (sideFiles == SideFiles::Wal && !hasContent(beside(path, "-wal")) && !folderIsWritable(path)) {
        sideFiles = SideFiles::WalMissing;
    }
    // A file in WAL mode without -wal would make SQLite create one; as nobody writes it, immutable is right.
    const OpenMode mode =
        sideFiles == SideFiles::WalMissing ? OpenMode::UntrustedImmutable : OpenMode::Untrusted;
    StatusOr<Connection> connection = Connection::open(path, mode);
    if (!connection.isOk()) return explainOpenFailure(path, sideFiles, connection.status());
    if (Status status = prepareForReading(*connection, wholeCheckBytes); !status.isOk()) {
        return explainOpenFailure(path, sideFiles, status);
    }
    VRAMSCOPE_RETURN_IF_ERROR(checkSchema(*connection));
    VRAMSCOPE_RETURN_IF_ERROR(addMissingTablesForReading(*connection));
    VRAMSCOPE_RETURN_IF_ERROR(registerEventTables(*connection));
    return connection;
}

StatusOr<Connection> createCaptureForWriting(const fs::path& path, bool overwrite) {
    if (overwrite) VRAMSCOPE_RETURN_IF_ERROR(removeOld(path));
    VRAMSCOPE_RETURN_IF_ERROR(createFile(path));
    VRAMSCOPE_ASSIGN_OR_RETURN(Connection connection, Connection::open(path, OpenMode::ReadWrite));
    connection.setBusyTimeout(kWriterBusyMs);
    // The schema goes in before WAL: from then on the file is a whole capture by itself, whatever happens.
    VRAMSCOPE_RETURN_IF_ERROR(
        explainBusy(connection, connection.exec("PRAGMA page_size=4096; PRAGMA journal_mode=MEMORY")));
    VRAMSCOPE_RETURN_IF_ERROR(explainBusy(connection, createSchema(connection)));
    VRAMSCOPE_RETURN_IF_ERROR(explainBusy(connection, startWal(connection)));
    VRAMSCOPE_RETURN_IF_ERROR(connection.exec(kRecordingPragmas));
    return connection;
}

StatusOr<Connection> openCaptureForRecovery(const fs::path& path) {
    VRAMSCOPE_RETURN_IF_ERROR(checkCaptureHeader(path));
    VRAMSCOPE_ASSIGN_OR_RETURN(Connection connection, Connection::open(path, OpenMode::UntrustedWrite));
    connection.setBusyTimeout(kWriterBusyMs);
    if (Status status = checkPages(connection, ~std::uint64_t{0}); !status.isOk()) {
        return explainOpenFailure(path, SideFiles::None, status);
    }
    VRAMSCOPE_RETURN_IF_ERROR(checkSchema(connection));
    VRAMSCOPE_RETURN_IF_ERROR(upgradeToPresentFormat(connection));
    VRAMSCOPE_RETURN_IF_ERROR(startWal(connection));
    VRAMSCOPE_RETURN_IF_ERROR(connection.exec(kRecordingPragmas));
    return connection;
}

Status finishCapture(Connection& connection) {
    // The first column says whether a reader kept the checkpoint from reaching the end.
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto busy, connection.queryInt("PRAGMA wal_checkpoint(TRUNCATE)"));
    if (busy.value_or(1) != 0) {
        return {ErrorKind::System,
                connection.name() + " is being read by another program, so its latest part stays in " +
                    connection.name() +
                    "-wal.\n  Close that program and run `vramscope recover`, or keep both files together."};
    }
    // SQLite does not wait here for readers, and one that follows the recording has it open now and then.
    StatusOr<std::optional<std::string>> mode = connection.queryText("PRAGMA journal_mode=DELETE");
    for (int tries = 1; tries < kMostFinishTries && (!mode.isOk() || *mode != "delete"); ++tries) {
        std::this_thread::sleep_for(kFinishPause);
        mode = connection.queryText("PRAGMA journal_mode=DELETE");
    }
    if (!mode.isOk() || *mode != "delete") {
        return {ErrorKind::System, connection.name() + " is complete, but another program has it open, so " +
                                       connection.name() +
                                       "-wal stays beside it.\n  The file can be copied without it."};
    }
    return connection.close();
}

}  // namespace vramscope::formats
