// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "formats/status.h"

namespace vramscope::formats {

/// A larger file is not salvaged: it is copied first, and that takes as much room again.
inline constexpr std::uintmax_t kLargestSalvage = std::uintmax_t{4} << 30;

/// What came out of a damaged capture.
struct Salvage {
    struct Table {
        std::string name;
        std::int64_t rowCount = 0;
        bool isWhole = false;  ///< no damage was met in it
    };
    std::filesystem::path copy;  ///< a whole capture with the rows that could be read
    std::vector<Table> tables;   ///< those that it has, in the order of the schema

    /// Rows of a table; 0 when nothing of it could be read.
    std::int64_t rowsOf(std::string_view table) const;
    /// Tables that came out whole.
    std::int64_t wholeCount() const;
};

/// Copies every row that can still be read of the cut or damaged capture `path` into a new capture in
/// `folder`, which is empty and ours. `path` is only read. Unreadable when it is no capture, newer than this
/// version, too large, or when nothing can be read of it; Incomplete when `shouldStop` said so, which it is
/// asked often.
StatusOr<Salvage> salvageCapture(const std::filesystem::path& path, const std::filesystem::path& folder,
                                 const std::function<bool()>& shouldStop);

}  // namespace vramscope::formats
