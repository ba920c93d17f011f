// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "formats/sqlite.h"

namespace vramscope::collector {

/// Runs `statement`, whose one parameter is `key`, and gives each row to `take`. For taking over an
/// interrupted recording.
template <typename Take>
Status forEachRow(formats::Statement& statement, std::int64_t key, Take take) {
    statement.bind(1, key);
    for (;;) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, statement.step());
        if (!hasRow) return Status::ok();
        take(statement);
    }
}

}  // namespace vramscope::collector
