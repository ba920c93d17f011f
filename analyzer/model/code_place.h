// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "formats/sqlite.h"
#include "formats/status.h"

namespace vramscope::model {

/// What a query over exact_accesses, called `a`, selects to learn which instructions touched the first and
/// the last byte: two texts, "file:line" where the module knew its lines, else "function+0x50", else empty.
struct CodePlaceSql {
    std::string columns;  ///< without a comma before or behind them
    std::string joins;    ///< begins with a space
};

/// For the format that the capture has.
StatusOr<CodePlaceSql> codePlaceSql(formats::Connection& connection);

}  // namespace vramscope::model
