// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>
#include <utility>

#include "formats/sqlite.h"
#include "formats/sqlite_state.h"

namespace vramscope::formats {

Statement::Statement(sqlite3_stmt* statement, Connection::State* connection)
    : m_statement(statement), m_connection(connection) {}

Statement::Statement(Statement&& other) noexcept
    : m_statement(std::exchange(other.m_statement, nullptr)),
      m_connection(other.m_connection),
      m_bindError(other.m_bindError) {}

Statement& Statement::operator=(Statement&& other) noexcept {
    std::swap(m_statement, other.m_statement);
    std::swap(m_connection, other.m_connection);
    std::swap(m_bindError, other.m_bindError);
    return *this;
}

Statement::~Statement() {
    sqlite3_finalize(m_statement);
}

void Statement::note(int code) {
    if (code != SQLITE_OK && m_bindError == SQLITE_OK) m_bindError = code;
}

void Statement::bindInt(int position, std::int64_t value) {
    note(sqlite3_bind_int64(m_statement, position, value));
}
void Statement::bind(int position, double value) {
    note(sqlite3_bind_double(m_statement, position, value));
}
void Statement::bind(int position, std::nullopt_t) {
    note(sqlite3_bind_null(m_statement, position));
}

void Statement::bind(int position, std::string_view text) {
    // A null pointer would bind NULL where an empty text is meant.
    const char* data = text.data() != nullptr ? text.data() : "";
    note(sqlite3_bind_text64(m_statement, position, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind(int position, std::span<const std::byte> blob) {
    const void* data = blob.data() != nullptr ? static_cast<const void*>(blob.data()) : "";
    note(sqlite3_bind_blob64(m_statement, position, data, blob.size(), SQLITE_TRANSIENT));
}

void Statement::borrowText(int position, std::string_view text) {
    const char* data = text.data() != nullptr ? text.data() : "";
    note(sqlite3_bind_text64(m_statement, position, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::borrowBlob(int position, std::span<const std::byte> blob) {
    const void* data = blob.data() != nullptr ? static_cast<const void*>(blob.data()) : "";
    note(sqlite3_bind_blob64(m_statement, position, data, blob.size(), SQLITE_STATIC));
}

Status Statement::runBorrowed() {
    Status status = run();
    sqlite3_clear_bindings(m_statement);
    return status;
}

StatusOr<bool> Statement::step() {
    if (m_bindError != SQLITE_OK) return m_connection->fail(std::exchange(m_bindError, SQLITE_OK));
    const int code = sqlite3_step(m_statement);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return m_connection->fail(code);
}

Status Statement::run() {
    for (;;) {
        StatusOr<bool> row = step();
        if (row.isOk() && *row) continue;
        reset();
        return row.status();
    }
}

void Statement::reset() {
    sqlite3_reset(m_statement);
}
int Statement::columnCount() const {
    return sqlite3_column_count(m_statement);
}

std::string_view Statement::columnName(int column) const {
    const char* name = sqlite3_column_name(m_statement, column);
    return name != nullptr ? name : "";
}

bool Statement::isNull(int column) const {
    return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}

Statement::ColumnType Statement::columnType(int column) const {
    switch (sqlite3_column_type(m_statement, column)) {
        case SQLITE_INTEGER:
            return ColumnType::Integer;
        case SQLITE_FLOAT:
            return ColumnType::Real;
        case SQLITE_TEXT:
            return ColumnType::Text;
        case SQLITE_BLOB:
            return ColumnType::Blob;
        default:
            return ColumnType::Null;
    }
}

std::int64_t Statement::columnInt(int column) const {
    return sqlite3_column_int64(m_statement, column);
}
double Statement::columnDouble(int column) const {
    return sqlite3_column_double(m_statement, column);
}

std::optional<std::int64_t> Statement::columnOptionalInt(int column) const {
    if (isNull(column)) return std::nullopt;
    return columnInt(column);
}

std::string_view Statement::columnText(int column) const {
    // The order matters: the size is that of the text form only after the text was asked for.
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
    if (text == nullptr) return {};
    return {text, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))};
}

std::optional<std::string> Statement::columnOptionalText(int column) const {
    if (isNull(column)) return std::nullopt;
    return std::string(columnText(column));
}

std::span<const std::byte> Statement::columnBlob(int column) const {
    const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(m_statement, column));
    if (data == nullptr) return {};
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))};
}

}  // namespace vramscope::formats
