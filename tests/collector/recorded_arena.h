// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/arena.h"

namespace vramscope::tests {

/// A record as it lies in the arena, with its text taken out.
struct SeenRecord {
    formats::Record record;
    std::string text;  ///< of Phase and Name records
};

/// The collector's arena and lanes without its driver, CUPTI and recorder: parts of the collector that write
/// records run on it. A process has one at a time. Not recording until start().
class RecordedArena {
public:
    explicit RecordedArena(std::uint64_t bytes = 4 << 20);
    RecordedArena(const RecordedArena&) = delete;
    RecordedArena& operator=(const RecordedArena&) = delete;
    ~RecordedArena();

    void start();
    void stop();

    /// All records of `type` that were published so far, lane by lane, each lane in order.
    std::vector<SeenRecord> records(formats::RecordType type) const;
    std::uint64_t drops(unsigned reason) const;

    /// Where it lies, for a recorder.
    std::filesystem::path file() const;

    /// The mapping itself, for a reader in this process: whoever takes it unmaps it, and not before the
    /// threads that record have ended.
    formats::ArenaHeader* handOverMapping();

private:
    std::filesystem::path m_folder;
    bool m_ownsMapping = true;
};

}  // namespace vramscope::tests
