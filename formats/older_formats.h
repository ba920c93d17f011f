// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::formats {

/// True when captures of `version` are older than this table of schema.sql and rightly lack it.
bool isTableNewerThan(std::string_view table, std::int64_t version);
/// The same for a column of a table that was there before.
bool isColumnNewerThan(std::string_view table, std::string_view column, std::int64_t version);

/// Gives a capture that is open for reading an empty temporary table for each one that its format lacks, so
/// that readers need not know formats. Columns are not made up: what reads one that is newer than format 1
/// asks first. The file stays as it is.
Status addMissingTablesForReading(Connection& connection);

/// Brings a capture that is open for writing to the present format, in one transaction.
Status upgradeToPresentFormat(Connection& connection);

}  // namespace vramscope::formats
