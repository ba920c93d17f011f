// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "formats/status.h"

namespace vramscope::collector {

/// The folders of one recording session: where the job's processes put their rings. Memory-backed where
/// possible, with a folder on disk for when that has no room. Mode 0700: what a job does with its memory is
/// nobody else's business.
class SessionDirectory {
public:
    /// Makes fresh folders under /dev/shm and under TMPDIR (/tmp). At least one must succeed.
    static StatusOr<SessionDirectory> create();
    /// The folders of a session that exists: `path` as create() named it, of this user.
    static StatusOr<SessionDirectory> open(const std::filesystem::path& path);

    const std::filesystem::path& primary() const { return m_primary; }
    /// Empty if there is none.
    const std::filesystem::path& fallback() const { return m_fallback; }

    /// Where processes without a ring say so. Every user may put a file there and nobody but its owner may
    /// list or remove them: a job can switch users, and what it lies in is then closed to it. Empty if there
    /// is none.
    const std::filesystem::path& marks() const { return m_marks; }

    /// Claims the session for this process until it ends: a second recorder or a `recover` beside a living
    /// recorder is refused.
    Status lock();

    /// Arena files in both folders that are ready to be read, in no particular order.
    std::vector<std::filesystem::path> arenas() const;

    /// Marks that were left (mark_file.h of the collector), in no particular order. Their content may be of
    /// any user's making.
    std::vector<std::filesystem::path> leftMarks() const;

    /// Remembers in the session which capture it records into, for `recover`.
    Status writeCapturePath(const std::filesystem::path& capture) const;
    StatusOr<std::filesystem::path> readCapturePath() const;

    /// The sessions of this user whose recorder lives, in no particular order.
    static std::vector<SessionDirectory> running();
    /// The name that `run --session` gave it, else its folder's.
    std::string name() const;
    /// Whether a recorder or a `recover` has it.
    bool isLocked() const;

    /// Deletes the folders with everything in them.
    void remove() const;

private:
    std::filesystem::path m_primary;
    std::filesystem::path m_fallback;
    std::filesystem::path m_marks;
    int m_lockFile = -1;  ///< left open on purpose: the lock ends with the process
};

}  // namespace vramscope::collector
