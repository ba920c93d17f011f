// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace vramscope::formats {

class Statement;

/// How a database file is opened.
enum class OpenMode {
    Create,              ///< read and write, made with mode 0600 when it is not there
    ReadWrite,           ///< read and write; the file must exist
    ReadOnly,            ///< never writes the file; for files of our own
    Untrusted,           ///< read only, with every defence against a hostile file switched on
    UntrustedWrite,      ///< the same, but it may be written
    UntrustedImmutable,  ///< read only, for a file that nobody changes: no locks, ignores a -wal or -journal
                         ///< beside it
};

/// What the last failed call on a connection ran into, for callers that act on it rather than show it.
enum class DatabaseCondition { None, Busy, DiskFull, Interrupted, Damaged, Other };

/// One open SQLite database. Movable, not copyable; statements made from it must be destroyed before it.
/// Not safe to use from two threads at once, except for interrupt(). Never to be carried across fork().
class Connection {
public:
    /// Opens `path`. An error names the file; it is System or Unreadable.
    static StatusOr<Connection> open(const std::filesystem::path& path, OpenMode mode);
    /// A database in memory, for tests and for scratch tables.
    static StatusOr<Connection> openInMemory();

    Connection(Connection&&) noexcept;
    Connection& operator=(Connection&&) noexcept;
    ~Connection();

    /// Runs one or more statements whose rows, if any, are not wanted.
    Status exec(std::string_view sql);
    /// Compiles one statement. A statement that does not compile is a Usage error with SQLite's own words.
    StatusOr<Statement> prepare(std::string_view sql);
    /// The first column of the first row of `sql`; nullopt when there is no row or the value is NULL.
    StatusOr<std::optional<std::int64_t>> queryInt(std::string_view sql);
    StatusOr<std::optional<std::string>> queryText(std::string_view sql);

    /// Rowid of the latest insert.
    std::int64_t lastInsertId() const;
    /// Rows touched by the latest insert, update or delete.
    std::int64_t changes() const;
    /// True between BEGIN and the end of that transaction.
    bool inTransaction() const;

    /// How long a call waits for another process's lock before it fails with Busy. 0 fails at once.
    void setBusyTimeout(int milliseconds);
    /// `shouldStop` is asked about every `stepsBetween` virtual-machine steps (1000 take some 10
    /// microseconds); when it returns true the running call fails with Interrupted. An empty function takes
    /// the check away.
    void setInterruptCheck(std::function<bool()> shouldStop, int stepsBetween = 1000);
    /// Makes the running call fail with Interrupted. May be called from any thread while the connection is
    /// open.
    void interrupt();

    /// Closes it now and reports an error that a destructor could not. Statements must be gone.
    Status close();

    /// The file as it was given to open(), for messages.
    const std::string& name() const;
    DatabaseCondition lastCondition() const;
    /// The last error as a Status: "FILE: SQLITE TEXT (CODE NAME)", its kind chosen by what went wrong.
    Status lastError() const;
    /// SQLite's own handle, for the files in formats/ that register virtual tables.
    sqlite3* handle() const;

private:
    struct State;
    explicit Connection(std::unique_ptr<State> state);

    std::unique_ptr<State> m_state;  // behind a pointer: SQLite holds its address for the interrupt check
    friend class Statement;
};

/// One compiled statement. Positions of parameters and columns count as in SQLite: parameters from 1, columns
/// from 0. A failed bind is remembered and returned by the next step(), so calls can be written one after the
/// other.
class Statement {
public:
    Statement(Statement&&) noexcept;
    Statement& operator=(Statement&&) noexcept;
    ~Statement();

    /// Integers of any width; std::uint64_t keeps its bits (addresses above 2^63 read back through
    /// columnAddress()).
    template <std::integral T>
    void bind(int position, T value) {
        bindInt(position, static_cast<std::int64_t>(value));
    }
    void bind(int position, double value);
    void bind(int position, std::nullopt_t);
    /// Text and blobs are copied; the argument may go away after the call.
    void bind(int position, std::string_view text);
    void bind(int position, const std::string& text) { bind(position, std::string_view(text)); }
    void bind(int position, const char* text) { bind(position, std::string_view(text)); }
    void bind(int position, std::span<const std::byte> blob);
    /// NULL when empty.
    template <typename T>
    void bind(int position, const std::optional<T>& value) {
        if (value)
            bind(position, *value);
        else
            bind(position, std::nullopt);
    }
    /// Binds parameters 1, 2, 3 and so on.
    template <typename... Values>
    void bindAll(const Values&... values) {
        int position = 0;
        (bind(++position, values), ...);
    }

    /// Goes to the next row: true with a row, false at the end.
    StatusOr<bool> step();
    /// Runs to the end, ignoring rows, and resets; for inserts and updates.
    Status run();
    /// bindAll() and run(), without copying texts and blobs. Parameters are NULL afterwards.
    template <typename... Values>
    Status runWith(const Values&... values) {
        bindBorrowed(1, values...);
        return runBorrowed();
    }
    /// Binds parameters `first` and on, for one runBorrowed() that `values` outlive.
    template <typename... Values>
    void bindBorrowed(int first, const Values&... values) {
        (borrow(first++, values), ...);
    }
    /// run() after any number of bindBorrowed(). Parameters are NULL afterwards.
    Status runBorrowed();
    /// Ready to be stepped again; parameters keep their values.
    void reset();

    int columnCount() const;
    /// Name of a result column; valid until the statement is destroyed.
    std::string_view columnName(int column) const;
    bool isNull(int column) const;
    enum class ColumnType { Null, Integer, Real, Text, Blob };
    ColumnType columnType(int column) const;
    /// NULL and text that is no number read as 0, as in SQLite.
    std::int64_t columnInt(int column) const;
    std::uint64_t columnAddress(int column) const { return static_cast<std::uint64_t>(columnInt(column)); }
    std::optional<std::int64_t> columnOptionalInt(int column) const;
    double columnDouble(int column) const;
    /// Valid until the next step(), reset() or destruction. NULL reads as empty.
    std::string_view columnText(int column) const;
    std::optional<std::string> columnOptionalText(int column) const;
    std::span<const std::byte> columnBlob(int column) const;

private:
    Statement(sqlite3_stmt* statement, Connection::State* connection);
    void bindInt(int position, std::int64_t value);
    // As bind(), for values that outlive the run.
    template <typename T>
    void borrow(int position, const T& value) {
        if constexpr (std::convertible_to<T, std::string_view>) {
            borrowText(position, value);
        } else if constexpr (std::convertible_to<T, std::span<const std::byte>>) {
            borrowBlob(position, value);
        } else {
            bind(position, value);
        }
    }
    template <typename T>
    void borrow(int position, const std::optional<T>& value) {
        if (value) {
            borrow(position, *value);
        } else {
            bind(position, std::nullopt);
        }
    }
    void borrowText(int position, std::string_view text);
    void borrowBlob(int position, std::span<const std::byte> blob);
    void note(int code);

    sqlite3_stmt* m_statement = nullptr;
    Connection::State* m_connection = nullptr;  // owned by the Connection; outlives this
    int m_bindError = 0;
    friend class Connection;
};

/// A write transaction: taken at construction by begin(), rolled back at destruction unless committed.
class Transaction {
public:
    /// BEGIN IMMEDIATE, so that a lock held elsewhere shows here and not in the middle.
    static StatusOr<Transaction> begin(Connection& connection);
    Transaction(Transaction&&) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();

    /// Makes it durable. After an error the transaction may still be open and commit() can be tried again.
    Status commit();
    void rollback();

private:
    explicit Transaction(Connection& connection) : m_connection(&connection) {}
    Connection* m_connection;  // null once committed, rolled back or moved from
};

}  // namespace vramscope::formats
