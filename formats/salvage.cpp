// SPDX-License-Identifier: Apache-2.0
#include "formats/salvage.h"

#include <algorithm>
#include <limits>
#include <system_error>

#include "formats/capture_file.h"
#include "formats/schema.h"

namespace vramscope::formats {
namespace {

namespace fs = std::filesystem;

/// Damaged pages of one table that are walked around before the rest is given up.
constexpr int kMostDetours = 1000;
constexpr std::int64_t kRowsBetweenQuestions = 4096;

Status stopped() {
    return {ErrorKind::Incomplete, "Reading what is left was cancelled."};
}

/// SQLite reads nothing of a file that is shorter than its header says; zeros in place of what is missing
/// make it read the rest. The copy has a hole there and takes no room.
Status padToLength(const fs::path& file) {
    StatusOr<std::uint64_t> wanted = statedLength(file);
    if (!wanted.isOk()) return wanted.status();
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(file, error);
    if (error || bytes >= *wanted || *wanted > kLargestSalvage) return Status::ok();
    fs::resize_file(file, *wanted, error);
    if (error) return {ErrorKind::System, file.string() + " cannot be lengthened: " + error.message() + "."};
    return Status::ok();
}

Status copyFile(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::copy_file(from, to, error);
    if (!error) fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, error);
    if (!error) return Status::ok();
    return {ErrorKind::System,
            from.string() + " cannot be copied to " + to.string() + ": " + error.message() + "."};
}

/// Moves the rows of one table.
class TableSalvage {
public:
    TableSalvage(Connection& from, Connection& to, std::string table, const std::function<bool()>& shouldStop)
        : m_from(from), m_to(to), m_table(std::move(table)), m_shouldStop(shouldStop) {}

    StatusOr<Salvage::Table> run() {
        Salvage::Table result{m_table, 0, false};
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool isThere, findColumns());
        if (!isThere) return result;
        VRAMSCOPE_ASSIGN_OR_RETURN(Transaction transaction, Transaction::begin(m_to));
        const Status moved = m_hasRowId ? moveByRowId(result) : moveInOrder(result);
        VRAMSCOPE_RETURN_IF_ERROR(moved);
        VRAMSCOPE_RETURN_IF_ERROR(transaction.commit());
        return result;
    }

    /// The damaged file never had it: its format is older.
    bool isAbsent() const { return m_isAbsent; }

private:
    /// Columns that both have. False when the damaged file lacks the table, or has something else by its
    /// name.
    StatusOr<bool> findColumns() {
        StatusOr<Statement> kind = m_from.prepare(
            "SELECT type = 'table' AND sql LIKE 'CREATE TABLE %', sql LIKE '%WITHOUT ROWID%'"
            " FROM sqlite_schema WHERE name = ?1");
        if (!kind.isOk()) return false;
        kind->bind(1, m_table);
        const StatusOr<bool> found = kind->step();
        m_isAbsent = found.isOk() && !*found;
        if (!found.isOk() || !*found || kind->columnInt(0) == 0) return false;
        m_hasRowId = kind->columnInt(1) == 0;
        VRAMSCOPE_ASSIGN_OR_RETURN(Statement wanted,
                                   m_to.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid"));
        wanted.bind(1, m_table);
        while (true) {
            VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, wanted.step());
            if (!hasRow) break;
            const std::string name(wanted.columnText(0));
            if (!hasColumn(name)) continue;
            m_columns += (m_columns.empty() ? "" : ", ") + name;
            m_places += m_places.empty() ? "?" : ", ?";
            ++m_columnCount;
        }
        return m_columnCount > 0;
    }

    bool hasColumn(const std::string& column) {
        StatusOr<Statement> found = m_from.prepare("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2");
        if (!found.isOk()) return false;
        found->bindAll(m_table, column);
        const StatusOr<bool> hasRow = found->step();
        return hasRow.isOk() && *hasRow;
    }

    std::string insertText() const {
        return "INSERT OR IGNORE INTO " + m_table + "(" + m_columns + ") VALUES(" + m_places + ")";
    }

    /// Row by row, and around pages that cannot be read: on from ever farther behind the last row.
    Status moveByRowId(Salvage::Table& result) {
        VRAMSCOPE_ASSIGN_OR_RETURN(Statement insert, m_to.prepare(insertText()));
        std::int64_t next = std::numeric_limits<std::int64_t>::min();
        std::int64_t stride = 1;
        result.isWhole = true;
        for (int detours = 0; detours < kMostDetours;) {
            StatusOr<Statement> row = m_from.prepare("SELECT rowid, " + m_columns + " FROM " + m_table +
                                                     " NOT INDEXED WHERE rowid >= ?1 ORDER BY rowid");
            if (!row.isOk()) break;
            row->bind(1, next);
            while (true) {
                const StatusOr<bool> hasRow = row->step();
                if (m_from.lastCondition() == DatabaseCondition::Interrupted) return stopped();
                if (!hasRow.isOk()) break;
                if (!*hasRow) return Status::ok();
                const std::int64_t id = row->columnInt(0);
                // A damaged tree may lead backwards, and round and round.
                if (id < next || id == std::numeric_limits<std::int64_t>::max()) break;
                next = id + 1;
                stride = 1;
                VRAMSCOPE_RETURN_IF_ERROR(take(*row, 1, insert, result));
            }
            result.isWhole = false;
            ++detours;
            if (next < 0) next = 0;
            if (__builtin_add_overflow(next, stride, &next) ||
                __builtin_add_overflow(stride, stride, &stride))
                break;
        }
        result.isWhole = false;
        return Status::ok();
    }

    Status moveInOrder(Salvage::Table& result) {
        VRAMSCOPE_ASSIGN_OR_RETURN(Statement insert, m_to.prepare(insertText()));
        StatusOr<Statement> row = m_from.prepare("SELECT " + m_columns + " FROM " + m_table + " NOT INDEXED");
        while (row.isOk()) {
            const StatusOr<bool> hasRow = row->step();
            if (m_from.lastCondition() == DatabaseCondition::Interrupted) return stopped();
            if (!hasRow.isOk()) break;
            if (!*hasRow) {
                result.isWhole = true;
                break;
            }
            VRAMSCOPE_RETURN_IF_ERROR(take(*row, 0, insert, result));
        }
        return Status::ok();
    }

    /// A row that the new capture does not take, because a value in it is of no kind that belongs there, is
    /// damage, too.
    Status take(const Statement& row, int firstColumn, Statement& insert, Salvage::Table& result) {
        for (int i = 0; i < m_columnCount; ++i) {
            const int column = firstColumn + i;
            switch (row.columnType(column)) {
                case Statement::ColumnType::Null:
                    insert.bind(i + 1, std::nullopt);
                    break;
                case Statement::ColumnType::Integer:
                    insert.bind(i + 1, row.columnInt(column));
                    break;
                case Statement::ColumnType::Real:
                    insert.bind(i + 1, row.columnDouble(column));
                    break;
                case Statement::ColumnType::Text:
                    insert.bind(i + 1, row.columnText(column));
                    break;
                case Statement::ColumnType::Blob:
                    insert.bind(i + 1, row.columnBlob(column));
                    break;
            }
        }
        const bool isTaken = insert.run().isOk();
        if (m_to.lastCondition() == DatabaseCondition::DiskFull) return m_to.lastError();
        if (isTaken)
            ++result.rowCount;
        else
            result.isWhole = false;
        if (++m_rowsSeen % kRowsBetweenQuestions == 0 && m_shouldStop()) return stopped();
        return Status::ok();
    }

    Connection& m_from;
    Connection& m_to;
    std::string m_table;
    const std::function<bool()>& m_shouldStop;
    std::string m_columns;
    std::string m_places;
    int m_columnCount = 0;
    bool m_hasRowId = true;
    bool m_isAbsent = false;
    std::int64_t m_rowsSeen = 0;
};

StatusOr<std::vector<std::string>> tablesOf(Connection& connection) {
    std::vector<std::string> names;
    VRAMSCOPE_ASSIGN_OR_RETURN(
        Statement row,
        connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
                           " ORDER BY rowid"));
    while (true) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool hasRow, row.step());
        if (!hasRow) return names;
        names.emplace_back(row.columnText(0));
    }
}

/// A copy of the damaged file that SQLite opens, with what its recorder had not yet moved into it.
Status takeCopy(const fs::path& path, const fs::path& copy) {
    VRAMSCOPE_RETURN_IF_ERROR(checkCaptureIdentity(path));
    std::error_code error;
    if (fs::file_size(path, error) > kLargestSalvage || error) {
        return {ErrorKind::Unreadable, path.string() + " is too large to be taken apart here."};
    }
    VRAMSCOPE_RETURN_IF_ERROR(copyFile(path, copy));
    const fs::path log = fs::path(path).concat("-wal");
    if (fs::file_size(log, error) > 0 && !error)
        VRAMSCOPE_RETURN_IF_ERROR(copyFile(log, fs::path(copy).concat("-wal")));
    else
        VRAMSCOPE_RETURN_IF_ERROR(padToLength(copy));
    return Status::ok();
}

StatusOr<Salvage> moveAll(Connection& from, Connection& to, const std::function<bool()>& shouldStop) {
    Salvage salvage;
    VRAMSCOPE_ASSIGN_OR_RETURN(const std::vector<std::string> tables, tablesOf(to));
    for (const std::string& table : tables) {
        TableSalvage mover(from, to, table, shouldStop);
        VRAMSCOPE_ASSIGN_OR_RETURN(Salvage::Table moved, mover.run());
        if (mover.isAbsent()) continue;
        salvage.tables.push_back(std::move(moved));
        if (shouldStop()) return stopped();
    }
    return salvage;
}

}  // namespace

std::int64_t Salvage::rowsOf(std::string_view table) const {
    const auto at = std::ranges::find(tables, table, &Table::name);
    return at == tables.end() ? 0 : at->rowCount;
}

std::int64_t Salvage::wholeCount() const {
    return std::ranges::count_if(tables, &Table::isWhole);
}

StatusOr<Salvage> salvageCapture(const fs::path& path, const fs::path& folder,
                                 const std::function<bool()>& shouldStop) {
    const fs::path damaged = folder / "damaged.vramscope";
    VRAMSCOPE_RETURN_IF_ERROR(takeCopy(path, damaged));
    VRAMSCOPE_ASSIGN_OR_RETURN(Connection from, Connection::open(damaged, OpenMode::Untrusted));
    from.setInterruptCheck(shouldStop, 100'000);
    if (!from.exec("SELECT 1 FROM sqlite_schema").isOk()) {
        return Status{ErrorKind::Unreadable,
                      path.string() + ": the list of its tables is damaged, so none can be found."};
    }
    const fs::path whole = folder / "readable.vramscope";
    VRAMSCOPE_ASSIGN_OR_RETURN(Connection to, createCaptureForWriting(whole, false));
    VRAMSCOPE_ASSIGN_OR_RETURN(Salvage salvage, moveAll(from, to, shouldStop));
    VRAMSCOPE_RETURN_IF_ERROR(finishCapture(to));
    VRAMSCOPE_RETURN_IF_ERROR(from.close());
    std::error_code error;
    fs::remove(damaged, error);
    salvage.copy = whole;
    if (salvage.rowsOf("meta") == 0 && salvage.rowsOf("buffers") == 0) {
        return Status{ErrorKind::Unreadable, path.string() + ": nothing that is left of it can be read."};
    }
    return salvage;
}

}  // namespace vramscope::formats
