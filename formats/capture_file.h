// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::formats {

/// What lies beside a capture, which says whether it was finished.
enum class SideFiles {
    None,        ///< finished: one file
    Wal,         ///< being recorded, or its recorder was killed; NAME-wal holds the latest part
    WalMissing,  ///< was being recorded, but NAME-wal did not come along: the latest part is lost
    Journal,     ///< a change to the file was cut off half-way; only a writer can undo it
};

/// Looks at `path` and the files beside it without opening a database. `path` must have passed
/// checkCaptureHeader().
SideFiles sideFilesOf(const std::filesystem::path& path);

/// Opens a capture that may come from a stranger: never writes it, trusts nothing in it, and offers the
/// tables of schema.sql and the virtual tables of formats/event_tables.h.
///
/// A capture that is still being recorded, or whose recorder was killed, is read together with its NAME-wal.
/// That needs a folder that can be written to, for SQLite's NAME-shm; where it cannot, the error says what to
/// do. A missing, empty, foreign, cut, damaged or too new file is Unreadable; the sentence names the file and
/// the way out. Files up to `wholeCheckBytes` are walked through at once; damage in larger ones, or inside an
/// event chunk, shows as an Unreadable error of the query that meets it.
StatusOr<Connection> openCaptureForReading(const std::filesystem::path& path,
                                           std::uint64_t wholeCheckBytes = 64U << 20);

/// Creates a capture, mode 0600, with the schema in it and ready to record in WAL mode. Only `overwrite`
/// replaces an existing file, and never one that another recorder is writing. The caller commits at least
/// every 200 ms. A killed recorder or job loses no commit; after a power failure the file is whole but may
/// lack the last seconds.
StatusOr<Connection> createCaptureForWriting(const std::filesystem::path& path, bool overwrite);

/// Opens the capture of a recorder that was killed, to write the rest and finish it. Refuses what
/// openCaptureForReading() refuses.
StatusOr<Connection> openCaptureForRecovery(const std::filesystem::path& path);

/// Ends recording: moves everything out of NAME-wal, leaves one file without side files, and closes the
/// connection. All its statements must be gone. On an error (disk full, a reader that does not let go)
/// nothing is lost: the capture stays readable together with its NAME-wal, and the call can be repeated.
Status finishCapture(Connection& connection);

}  // namespace vramscope::formats
