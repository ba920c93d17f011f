// SPDX-License-Identifier: Apache-2.0
#include "tests/support/opened_capture.h"

#include <gtest/gtest.h>

#include "formats/capture_file.h"
#include "formats/event_tables.h"

namespace vramscope::tests {

OpenedCapture::OpenedCapture(const std::filesystem::path& path) {
    StatusOr<formats::Connection> connection = formats::openCaptureForReading(path);
    if (!connection.isOk()) {
        ADD_FAILURE() << connection.status().message();
        return;
    }
    m_connection.emplace(std::move(*connection));
    // The tables may be there already; a second registration by the same name only replaces them.
    if (const Status status = formats::registerEventTables(*m_connection); !status.isOk()) {
        ADD_FAILURE() << status.message();
    }
}

std::int64_t OpenedCapture::number(const std::string& sql) {
    if (!m_connection) return -1;
    const auto value = m_connection->queryInt(sql);
    if (!value.isOk() || !*value) {
        ADD_FAILURE() << sql << ": " << (value.isOk() ? "no value" : value.status().message());
        return -1;
    }
    return **value;
}

std::string OpenedCapture::text(const std::string& sql) {
    if (!m_connection) return {};
    const auto value = m_connection->queryText(sql);
    if (!value.isOk()) ADD_FAILURE() << sql << ": " << value.status().message();
    return value.isOk() ? value->value_or("") : "";
}

std::string OpenedCapture::table(const std::string& sql) {
    if (!m_connection) return {};
    auto statement = m_connection->prepare(sql);
    if (!statement.isOk()) return statement.status().message();
    std::string rows;
    for (;;) {
        const StatusOr<bool> row = statement->step();
        if (!row.isOk()) return rows + row.status().message();
        if (!*row) return rows;
        for (int column = 0; column < statement->columnCount(); ++column) {
            if (column > 0) rows += '|';
            rows += statement->columnText(column);
        }
        rows += '\n';
    }
}

}  // namespace vramscope::tests
