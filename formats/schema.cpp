// SPDX-License-Identifier: Apache-2.0
#include "formats/schema.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <system_error>

#include "formats/older_formats.h"

namespace vramscope::formats {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
// Read through virtual tables of these names; a real table would hide them.
constexpr std::array kVirtualTables = {"launches", "copies", "sets", "syncs", "launch_arguments"};

using Header = std::array<char, kHeaderBytes>;

std::uint32_t bigEndian32(const char* bytes) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

std::uint64_t statedLengthOf(const Header& header) {
    const std::uint32_t stored = static_cast<std::uint32_t>(static_cast<unsigned char>(header[16])) << 8 |
                                 static_cast<unsigned char>(header[17]);
    const std::uint64_t pageBytes = stored == 1 ? 65536 : stored;
    return pageBytes * bigEndian32(&header[28]);
}

Status unreadable(std::string message) {
    return {ErrorKind::Unreadable, std::move(message)};
}

Status checkIdentity(const std::string& name, std::uint32_t applicationId, std::int64_t version) {
    if (applicationId != kApplicationId) {
        return unreadable(
            name +
            " is an SQLite database, but not a capture of vramscope.\n  If Nsight Systems exported "
            "it, `vramscope import` reads it.");
    }
    if (version > kFormatVersion) {
        const std::string ours = std::to_string(kFormatVersion);
        return unreadable(name + " was written by a newer vramscope (format " + std::to_string(version) +
                          ", this one reads up to " + ours +
                          ").\n  Update vramscope, or ask the other side for `vramscope export --format " +
                          ours + "`.");
    }
    if (version < 1)
        return unreadable(name + " is damaged: format " + std::to_string(version) + " never existed.");
    return Status::ok();
}

Status checkFileKind(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found)
        return unreadable(path.string() + ": there is no such file.");
    if (error) return {ErrorKind::System, path.string() + " cannot be read: " + error.message() + "."};
    if (fs::is_directory(status)) return unreadable(path.string() + " is a folder, not a capture.");
    // A pipe or a device could make the reader wait for ever.
    if (!fs::is_regular_file(status)) return unreadable(path.string() + " is not a regular file.");
    return Status::ok();
}

// The header knows the size in pages. A crash between two writes of a checkpoint may leave a file shorter
// than its new header says, which the -wal beside it makes good; without one the file was cut.
Status checkLength(const fs::path& path, const Header& header) {
    std::error_code error;
    const std::uintmax_t fileBytes = fs::file_size(path, error);
    if (error || fs::exists(fs::path(path).concat("-wal"), error)) return Status::ok();
    const std::uint64_t stated = statedLengthOf(header);
    const bool isCurrent = bigEndian32(&header[24]) == bigEndian32(&header[92]);
    if (isCurrent && stated > fileBytes) {
        return unreadable(path.string() + " is cut short: it should have " + std::to_string(stated) +
                          " bytes and has " + std::to_string(fileBytes) +
                          ".\n  Copy it again from where it was recorded.");
    }
    return Status::ok();
}

StatusOr<Header> readHeader(const fs::path& path) {
    VRAMSCOPE_RETURN_IF_ERROR(checkFileKind(path));
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return Status{ErrorKind::System, path.string() + " cannot be read: " + std::strerror(errno) + "."};
    Header header{};
    file.read(header.data(), header.size());
    const auto got = static_cast<std::size_t>(file.gcount());
    if (got == 0) {
        return unreadable(path.string() +
                          " is empty: its recording ended before anything was written, or the copy failed.");
    }
    if (std::string_view(header.data(), std::min(got, kMagic.size())) != kMagic.substr(0, got)) {
        return unreadable(path.string() +
                          " is not a capture of vramscope.\n  Give a file that `vramscope run` wrote.");
    }
    if (got < kHeaderBytes)
        return unreadable(path.string() + " is cut short: only " + std::to_string(got) + " bytes are left.");
    return header;
}

Status checkIdentity(const fs::path& path, const Header& header) {
    return checkIdentity(path.string(), bigEndian32(&header[68]),
                         static_cast<std::int32_t>(bigEndian32(&header[60])));
}

using Columns = std::set<std::string>;

StatusOr<Columns> columnsOf(Connection& connection, std::string_view table) {
    Columns columns;
    VRAMSCOPE_ASSIGN_OR_RETURN(Statement statement,
                               connection.prepare("SELECT name FROM pragma_table_info(?1)"));
    statement.bind(1, table);
    for (;;) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool found, statement.step());
        if (!found) return columns;
        columns.emplace(statement.columnText(0));
    }
}

Status checkTable(Connection& connection, Connection& model, const std::string& table, std::int64_t version) {
    VRAMSCOPE_ASSIGN_OR_RETURN(
        Statement entry,
        connection.prepare(
            "SELECT type, sql LIKE 'CREATE TABLE %' FROM sqlite_schema WHERE lower(name) = ?1"));
    entry.bind(1, table);
    VRAMSCOPE_ASSIGN_OR_RETURN(const bool found, entry.step());
    const std::string& name = connection.name();
    if (!found && isTableNewerThan(table, version)) return Status::ok();
    if (!found) return unreadable(name + " is damaged: it has no table '" + table + "'.");
    if (entry.columnText(0) != "table" || entry.columnInt(1) == 0) {
        return unreadable(name + " is refused: '" + table +
                          "' in it is no plain table, as vramscope writes it.");
    }
    VRAMSCOPE_ASSIGN_OR_RETURN(const Columns present, columnsOf(connection, table));
    VRAMSCOPE_ASSIGN_OR_RETURN(const Columns wanted, columnsOf(model, table));
    const auto missing = std::ranges::find_if(wanted, [&](const std::string& column) {
        return !present.contains(column) && !isColumnNewerThan(table, column, version);
    });
    if (missing == wanted.end()) return Status::ok();
    return unreadable(name + " is damaged: its table '" + table + "' lacks the column '" + *missing + "'.");
}

Status checkVirtualTableNames(Connection& connection) {
    VRAMSCOPE_ASSIGN_OR_RETURN(Statement entry,
                               connection.prepare("SELECT 1 FROM sqlite_schema WHERE lower(name) = ?1"));
    for (const char* table : kVirtualTables) {
        entry.reset();
        entry.bind(1, table);
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool found, entry.step());
        if (found) {
            return unreadable(connection.name() + " is refused: it brings its own '" + table +
                              "', which would hide the events.");
        }
    }
    return Status::ok();
}

}  // namespace

Status createSchema(Connection& connection) {
    VRAMSCOPE_ASSIGN_OR_RETURN(Transaction transaction, Transaction::begin(connection));
    VRAMSCOPE_RETURN_IF_ERROR(connection.exec(schemaSql()));
    VRAMSCOPE_RETURN_IF_ERROR(connection.exec("PRAGMA application_id=" + std::to_string(kApplicationId) +
                                              "; PRAGMA user_version=" + std::to_string(kFormatVersion)));
    return transaction.commit();
}

Status checkCaptureHeader(const fs::path& path) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const Header header, readHeader(path));
    VRAMSCOPE_RETURN_IF_ERROR(checkIdentity(path, header));
    return checkLength(path, header);
}

Status checkCaptureIdentity(const fs::path& path) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const Header header, readHeader(path));
    return checkIdentity(path, header);
}

StatusOr<std::uint64_t> statedLength(const fs::path& path) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const Header header, readHeader(path));
    return statedLengthOf(header);
}

Status checkSchema(Connection& connection) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto applicationId, connection.queryInt("PRAGMA application_id"));
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto version, connection.queryInt("PRAGMA user_version"));
    VRAMSCOPE_RETURN_IF_ERROR(checkIdentity(
        connection.name(), static_cast<std::uint32_t>(applicationId.value_or(0)), version.value_or(0)));
    VRAMSCOPE_RETURN_IF_ERROR(checkVirtualTableNames(connection));

    // The schema itself is the list of what must be there.
    VRAMSCOPE_ASSIGN_OR_RETURN(Connection model, Connection::openInMemory());
    VRAMSCOPE_RETURN_IF_ERROR(model.exec(schemaSql()));
    VRAMSCOPE_ASSIGN_OR_RETURN(Statement tables,
                               model.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'"));
    for (;;) {
        VRAMSCOPE_ASSIGN_OR_RETURN(const bool found, tables.step());
        if (!found) return Status::ok();
        VRAMSCOPE_RETURN_IF_ERROR(
            checkTable(connection, model, std::string(tables.columnText(0)), version.value_or(0)));
    }
}

}  // namespace vramscope::formats
