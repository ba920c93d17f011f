// SPDX-License-Identifier: Apache-2.0
#include "formats/older_formats.h"

#include <algorithm>
#include <array>
#include <string>

#include "formats/schema.h"

namespace vramscope::formats {

namespace {

struct NewTable {
    std::string_view table;
    std::int64_t since;
};
struct NewColumn {
    std::string_view table;
    std::string_view column;
    std::string_view type;  // as schema.sql declares it
    std::int64_t since;
};

// What came after format 1, the oldest.
constexpr std::array kNewTables = {NewTable{"job_exceptions", 2},
                                   NewTable{"argument_chunks", 2},
                                   NewTable{"pool_trims", 3},
                                   NewTable{"vmm_accesses", 3},
                                   NewTable{"primary_context_calls", 3},
                                   NewTable{"gpu_modules", 3},
                                   NewTable{"guard_hits", 4},
                                   NewTable{"exact_launches", 5},
                                   NewTable{"exact_accesses", 5},
                                   NewTable{"graphs", 4},
                                   NewTable{"graph_versions", 4},
                                   NewTable{"graph_nodes", 4},
                                   NewTable{"graph_node_addresses", 4},
                                   NewTable{"graph_allocations", 4},
                                   NewTable{"graph_memory_samples", 4},
                                   NewTable{"graph_memory_trims", 4},
                                   NewTable{"ipc_handles", 4},
                                   NewTable{"ipc_imports", 4},
                                   NewTable{"peer_accesses", 4},
                                   NewTable{"task_spans", 4},
                                   NewTable{"ownership", 4},
                                   NewTable{"sub_buffers", 4},
                                   NewTable{"digest_changes", 5},
                                   NewTable{"code_places", 6}};
constexpr std::array kNewColumns = {NewColumn{"phases", "level", "INTEGER", 2},
                                    NewColumn{"phases", "nvtx_id", "INTEGER", 2},
                                    NewColumn{"phases", "lost", "TEXT", 2},
                                    NewColumn{"streams", "thread_id", "INTEGER", 3},
                                    NewColumn{"vmm_handles", "origin", "TEXT", 3},
                                    NewColumn{"objects", "is_shared", "INTEGER", 4},
                                    NewColumn{"guard_hits", "launch_ns", "INTEGER", 5},
                                    NewColumn{"guard_hits", "launch_thread_id", "INTEGER", 5},
                                    NewColumn{"exact_accesses", "first_place_id", "INTEGER", 6},
                                    NewColumn{"exact_accesses", "last_place_id", "INTEGER", 6}};

StatusOr<std::int64_t> versionOf(Connection& connection) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto version, connection.queryInt("PRAGMA main.user_version"));
    return version.value_or(0);
}

/// "CREATE TABLE name (...) STRICT", as schema.sql has it, behind the word TABLE.
StatusOr<std::string> declarationOf(std::string_view table) {
    VRAMSCOPE_ASSIGN_OR_RETURN(Connection model, Connection::openInMemory());
    VRAMSCOPE_RETURN_IF_ERROR(model.exec(schemaSql()));
    VRAMSCOPE_ASSIGN_OR_RETURN(Statement entry,
                               model.prepare("SELECT substr(sql, 14) FROM sqlite_schema WHERE name = ?1"));
    entry.bind(1, table);
    VRAMSCOPE_ASSIGN_OR_RETURN(const bool found, entry.step());
    if (!found) return Status(ErrorKind::Internal, "schema.sql has no table " + std::string(table) + ".");
    return std::string(entry.columnText(0));
}

Status addTables(Connection& connection, std::int64_t version, const std::string& create) {
    for (const NewTable& added : kNewTables) {
        if (added.since <= version) continue;
        VRAMSCOPE_ASSIGN_OR_RETURN(const std::string declaration, declarationOf(added.table));
        VRAMSCOPE_RETURN_IF_ERROR(connection.exec(create + declaration));
    }
    return Status::ok();
}

}  // namespace

bool isTableNewerThan(std::string_view table, std::int64_t version) {
    return std::ranges::any_of(
        kNewTables, [&](const NewTable& added) { return added.table == table && added.since > version; });
}

bool isColumnNewerThan(std::string_view table, std::string_view column, std::int64_t version) {
    return std::ranges::any_of(kNewColumns, [&](const NewColumn& added) {
        return added.table == table && added.column == column && added.since > version;
    });
}

Status addMissingTablesForReading(Connection& connection) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const std::int64_t version, versionOf(connection));
    if (version >= kFormatVersion) return Status::ok();
    // query_only forbids temporary tables, too.
    VRAMSCOPE_RETURN_IF_ERROR(connection.exec("PRAGMA temp_store=MEMORY; PRAGMA query_only=OFF"));
    VRAMSCOPE_RETURN_IF_ERROR(addTables(connection, version, "CREATE TEMP TABLE "));
    return connection.exec("PRAGMA query_only=ON");
}

Status upgradeToPresentFormat(Connection& connection) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const std::int64_t version, versionOf(connection));
    if (version >= kFormatVersion) return Status::ok();
    VRAMSCOPE_ASSIGN_OR_RETURN(Transaction transaction, Transaction::begin(connection));
    VRAMSCOPE_RETURN_IF_ERROR(addTables(connection, version, "CREATE TABLE "));
    for (const NewColumn& added : kNewColumns) {
        // A table that was added just now has all its columns.
        if (added.since <= version || isTableNewerThan(added.table, version)) continue;
        std::string sql("ALTER TABLE ");
        sql.append(added.table).append(" ADD COLUMN ").append(added.column).append(1, ' ').append(added.type);
        VRAMSCOPE_RETURN_IF_ERROR(connection.exec(sql));
    }
    VRAMSCOPE_RETURN_IF_ERROR(connection.exec("PRAGMA main.user_version=" + std::to_string(kFormatVersion)));
    return transaction.commit();
}

}  // namespace vramscope::formats
