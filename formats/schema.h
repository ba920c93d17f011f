// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::formats {

/// SQLite's application_id of a capture: 'VRAM', bytes 68 to 71 of the file.
inline constexpr std::uint32_t kApplicationId = 0x5652414D;
/// The format this build writes, kept in user_version. It reads this one and all older ones.
inline constexpr std::int64_t kFormatVersion = 6;

/// The text of schema.sql and its other parts, as it was when this was built.
std::string_view schemaSql();

/// Makes the tables of a capture and sets application_id and user_version, in one transaction.
/// `connection` must be an empty database.
Status createSchema(Connection& connection);

/// Looks at the first bytes of `path` without SQLite: missing, empty, foreign, cut short or too new files are
/// refused with a sentence that says which (Unreadable, or System when the system does not let us read it).
Status checkCaptureHeader(const std::filesystem::path& path);
/// The same for a file that may be cut short.
Status checkCaptureIdentity(const std::filesystem::path& path);
/// How many bytes the header of an SQLite database says that the file has, whatever it really has.
StatusOr<std::uint64_t> statedLength(const std::filesystem::path& path);

/// Checks through SQLite that an open file is a capture that we can read: identity, version, and that each
/// table of the schema is a real table (neither view nor virtual) with all its columns. Bounded by the size
/// of the schema.
Status checkSchema(Connection& connection);

}  // namespace vramscope::formats
