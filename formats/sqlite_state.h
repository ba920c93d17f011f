// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "formats/sqlite.h"

namespace vramscope::formats {

/// What a Connection and its Statements share; for sqlite.cpp and sqlite_statement.cpp only.
struct Connection::State {
    sqlite3* handle = nullptr;
    std::string name;
    std::function<bool()> shouldStop;
    int lastCode = 0;
    std::string lastText;

    ~State();
    /// Keeps the code and text of a failure, since SQLite forgets its own at the next call, a reset included.
    Status fail(int code);
    /// The failure kept last.
    Status status() const;
};

}  // namespace vramscope::formats
