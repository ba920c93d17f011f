// SPDX-License-Identifier: Apache-2.0
#include "formats/sqlite.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>
#include <utility>

#include "formats/sqlite_state.h"

namespace vramscope::formats {

namespace {

const char* codeName(int code) {
    switch (code & 0xff) {
        case SQLITE_BUSY:
            return "BUSY";
        case SQLITE_LOCKED:
            return "LOCKED";
        case SQLITE_NOMEM:
            return "NOMEM";
        case SQLITE_READONLY:
            return "READONLY";
        case SQLITE_INTERRUPT:
            return "INTERRUPT";
        case SQLITE_IOERR:
            return "IOERR";
        case SQLITE_CORRUPT:
            return "CORRUPT";
        case SQLITE_FULL:
            return "FULL";
        case SQLITE_CANTOPEN:
            return "CANTOPEN";
        case SQLITE_PERM:
            return "PERM";
        case SQLITE_AUTH:
            return "AUTH";
        case SQLITE_NOTADB:
            return "NOTADB";
        case SQLITE_TOOBIG:
            return "TOOBIG";
        case SQLITE_CONSTRAINT:
            return "CONSTRAINT";
        case SQLITE_MISMATCH:
            return "MISMATCH";
        case SQLITE_MISUSE:
            return "MISUSE";
        case SQLITE_RANGE:
            return "RANGE";
        case SQLITE_SCHEMA:
            return "SCHEMA";
        default:
            return "ERROR";
    }
}

ErrorKind errorKind(int code) {
    // A statement that would write, on a connection that may not. The extended codes are about files.
    if (code == SQLITE_READONLY) return ErrorKind::Usage;
    switch (code & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_FORMAT:
        case SQLITE_TOOBIG:
            return ErrorKind::Unreadable;
        case SQLITE_INTERRUPT:
            return ErrorKind::Incomplete;
        case SQLITE_ERROR:
        case SQLITE_AUTH:
            return ErrorKind::Usage;
        case SQLITE_CONSTRAINT:
        case SQLITE_MISMATCH:
        case SQLITE_MISUSE:
        case SQLITE_RANGE:
            return ErrorKind::Internal;
        default:
            return ErrorKind::System;
    }
}

// A file: URI takes '?' '#' and '%' in a path as its own, so everything but plain characters is escaped.
std::string immutableUri(const std::filesystem::path& path) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(path).string()) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || c == '/' || c == '.' || c == '-' || c == '_') {
            uri += c;
        } else {
            uri += '%';
            uri += kHex[byte >> 4];
            uri += kHex[byte & 15];
        }
    }
    return uri + "?immutable=1";
}

// SQLite makes files with mode 0644 less the umask; a capture is nobody else's business.
Status createPrivate(const std::filesystem::path& path) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        return {ErrorKind::System, path.string() + " cannot be created: " + std::strerror(errno) + "."};
    }
    ::close(fd);
    return Status::ok();
}

// What sqlite.org/security.html asks for before SQL runs on a file that may have been made to do harm.
void defend(sqlite3* db) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 64 << 20);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
    sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 500);
    sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 200);
    sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 50);
    sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 250'000);
    sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, 32);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
    sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 5);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
}

int onProgress(void* context) {
    const auto& shouldStop = *static_cast<const std::function<bool()>*>(context);
    return shouldStop && shouldStop() ? 1 : 0;
}

}  // namespace

Connection::State::~State() {
    sqlite3_close_v2(handle);
}

Status Connection::State::fail(int code) {
    lastCode = code;
    const bool isLatest = handle != nullptr && (sqlite3_errcode(handle) & 0xff) == (code & 0xff);
    lastText = isLatest ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
    return status();
}

Status Connection::State::status() const {
    if (lastCode == SQLITE_OK) return Status::ok();
    std::string text = name + ": " + lastText + " (SQLite " + codeName(lastCode);
    if (lastCode > 0xff) text.append(1, ' ').append(std::to_string(lastCode));
    return {errorKind(lastCode), text + ")"};
}

Connection::Connection(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;
Connection::~Connection() = default;

StatusOr<Connection> Connection::open(const std::filesystem::path& path, OpenMode mode) {
    const bool untrusted = mode == OpenMode::Untrusted || mode == OpenMode::UntrustedWrite ||
                           mode == OpenMode::UntrustedImmutable;
    const bool writes =
        mode == OpenMode::Create || mode == OpenMode::ReadWrite || mode == OpenMode::UntrustedWrite;
    if (mode == OpenMode::Create) VRAMSCOPE_RETURN_IF_ERROR(createPrivate(path));

    // A connection is used by one thread at a time: SQLite's own locks would be taken several times a bound
    // value.
    int flags =
        (writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX;
    std::string name = path.string();
    if (mode == OpenMode::UntrustedImmutable) {
        flags |= SQLITE_OPEN_URI;
        name = immutableUri(path);
    } else if (name.starts_with("file:") || name.starts_with(":")) {
        name.insert(0, "./");  // a relative file of that name, not a URI and not ':memory:'
    }
    auto state = std::make_unique<State>();
    state->name = path.string();
    if (const int code = sqlite3_open_v2(name.c_str(), &state->handle, flags, nullptr); code != SQLITE_OK) {
        return state->fail(code);
    }
    Connection connection(std::move(state));
    if (untrusted) {
        defend(connection.handle());
        VRAMSCOPE_RETURN_IF_ERROR(connection.exec("PRAGMA mmap_size=0; PRAGMA cell_size_check=ON"));
    }
    return connection;
}

StatusOr<Connection> Connection::openInMemory() {
    auto state = std::make_unique<State>();
    state->name = "database in memory";
    const int code =
        sqlite3_open_v2(":memory:", &state->handle,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE, nullptr);
    if (code != SQLITE_OK) return state->fail(code);
    return Connection(std::move(state));
}

Status Connection::exec(std::string_view sql) {
    const std::string text(sql);
    const int code = sqlite3_exec(handle(), text.c_str(), nullptr, nullptr, nullptr);
    return code == SQLITE_OK ? Status::ok() : m_state->fail(code);
}

StatusOr<Statement> Connection::prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    const char* rest = nullptr;
    const int code =
        sqlite3_prepare_v2(handle(), sql.data(), static_cast<int>(sql.size()), &statement, &rest);
    if (code != SQLITE_OK) return m_state->fail(code);
    if (statement == nullptr) return Status(ErrorKind::Usage, name() + ": the SQL text holds no statement.");
    Statement first(statement, m_state.get());
    // Nothing but blanks and comments may follow; what does is no statement to SQLite either.
    sqlite3_stmt* second = nullptr;
    const auto restBytes = static_cast<int>(sql.data() + sql.size() - rest);
    const bool isAlone =
        restBytes <= 0 ||
        (sqlite3_prepare_v2(handle(), rest, restBytes, &second, nullptr) == SQLITE_OK && second == nullptr);
    sqlite3_finalize(second);
    if (!isAlone) {
        return Status(ErrorKind::Usage,
                      name() + ": the SQL text holds more than one statement; only one is run at a time.");
    }
    return first;
}

StatusOr<std::optional<std::int64_t>> Connection::queryInt(std::string_view sql) {
    VRAMSCOPE_ASSIGN_OR_RETURN(Statement statement, prepare(sql));
    VRAMSCOPE_ASSIGN_OR_RETURN(const bool found, statement.step());
    return found ? statement.columnOptionalInt(0) : std::nullopt;
}

StatusOr<std::optional<std::string>> Connection::queryText(std::string_view sql) {
    VRAMSCOPE_ASSIGN_OR_RETURN(Statement statement, prepare(sql));
    VRAMSCOPE_ASSIGN_OR_RETURN(const bool found, statement.step());
    return found ? statement.columnOptionalText(0) : std::nullopt;
}

std::int64_t Connection::lastInsertId() const {
    return sqlite3_last_insert_rowid(handle());
}
std::int64_t Connection::changes() const {
    return sqlite3_changes64(handle());
}
bool Connection::inTransaction() const {
    return sqlite3_get_autocommit(handle()) == 0;
}
void Connection::setBusyTimeout(int milliseconds) {
    sqlite3_busy_timeout(handle(), milliseconds);
}

void Connection::setInterruptCheck(std::function<bool()> shouldStop, int stepsBetween) {
    m_state->shouldStop = std::move(shouldStop);
    sqlite3_progress_handler(handle(), m_state->shouldStop ? stepsBetween : 0, onProgress,
                             &m_state->shouldStop);
}

void Connection::interrupt() {
    sqlite3_interrupt(handle());
}

Status Connection::close() {
    if (const int code = sqlite3_close(handle()); code != SQLITE_OK) return m_state->fail(code);
    m_state->handle = nullptr;
    return Status::ok();
}

const std::string& Connection::name() const {
    return m_state->name;
}
Status Connection::lastError() const {
    return m_state->status();
}
sqlite3* Connection::handle() const {
    return m_state->handle;
}

DatabaseCondition Connection::lastCondition() const {
    switch (m_state->lastCode & 0xff) {
        case SQLITE_OK:
            return DatabaseCondition::None;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return DatabaseCondition::Busy;
        case SQLITE_FULL:
            return DatabaseCondition::DiskFull;
        case SQLITE_INTERRUPT:
            return DatabaseCondition::Interrupted;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return DatabaseCondition::Damaged;
        default:
            return DatabaseCondition::Other;
    }
}

StatusOr<Transaction> Transaction::begin(Connection& connection) {
    VRAMSCOPE_RETURN_IF_ERROR(connection.exec("BEGIN IMMEDIATE"));
    return Transaction(connection);
}

Transaction::Transaction(Transaction&& other) noexcept
    : m_connection(std::exchange(other.m_connection, nullptr)) {}
Transaction::~Transaction() {
    rollback();
}

Status Transaction::commit() {
    if (m_connection == nullptr) return {ErrorKind::Internal, "A transaction was committed twice."};
    VRAMSCOPE_RETURN_IF_ERROR(m_connection->exec("COMMIT"));
    m_connection = nullptr;
    return Status::ok();
}

void Transaction::rollback() {
    if (m_connection == nullptr) return;
    // After some errors (disk full, for one) SQLite has rolled back already, and a second ROLLBACK would be
    // an error.
    if (m_connection->inTransaction()) static_cast<void>(m_connection->exec("ROLLBACK"));
    m_connection = nullptr;
}

}  // namespace vramscope::formats
