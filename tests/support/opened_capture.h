// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "formats/sqlite.h"

namespace vramscope::tests {

/// A capture opened for questions. Opening it and each question add a GoogleTest failure when they go wrong,
/// so a test need not ask twice.
class OpenedCapture {
public:
    explicit OpenedCapture(const std::filesystem::path& path);

    bool isOpen() const { return m_connection.has_value(); }
    /// The first value of `sql`; -1 with a test failure if there is none.
    std::int64_t number(const std::string& sql);
    /// The first value of `sql`; empty if there is none.
    std::string text(const std::string& sql);
    /// Lost records of all kinds.
    std::int64_t lostCount() { return number("SELECT coalesce(sum(lost_count), 0) FROM drops"); }
    /// Every row of `sql`, columns parted by '|', one line a row, for messages.
    std::string table(const std::string& sql);

private:
    std::optional<formats::Connection> m_connection;
};

}  // namespace vramscope::tests
