// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "formats/argument_set.h"
#include "formats/event_tables.h"
#include "formats/virtual_table.h"

namespace vramscope::formats {

namespace {

enum Plan { WholeTable = 0, OneSet = 1 };
enum Column { ArgumentSetId = 0, ParameterOffset = 1, BufferId = 2, Offset = 3 };

struct ArgumentTable : sqlite3_vtab {
    sqlite3* db = nullptr;

    static int connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** out, char**);
    static int bestIndex(sqlite3_vtab*, sqlite3_index_info* info);
};

int ArgumentTable::connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** out, char**) {
    return guarded([&] {
        auto table = std::make_unique<ArgumentTable>();
        table->db = db;
        const int code =
            sqlite3_declare_vtab(db,
                                 "CREATE TABLE x(argument_set_id INTEGER, parameter_offset INTEGER, "
                                 "buffer_id INTEGER, \"offset\" INTEGER)");
        if (code != SQLITE_OK) return code;
        sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
        *out = table.release();
        return SQLITE_OK;
    });
}

int ArgumentTable::bestIndex(sqlite3_vtab*, sqlite3_index_info* info) {
    info->idxNum = WholeTable;
    info->estimatedRows = 1'000'000;
    info->estimatedCost = 1e6;
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& constraint = info->aConstraint[i];
        if (constraint.iColumn != ArgumentSetId || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (constraint.usable == 0) continue;
        info->aConstraintUsage[i].argvIndex = 1;
        info->idxNum = OneSet;
        info->estimatedRows = 4;
        info->estimatedCost = 10;
        break;
    }
    return SQLITE_OK;
}

class ArgumentCursor : public sqlite3_vtab_cursor {
public:
    explicit ArgumentCursor(ArgumentTable& table) : sqlite3_vtab_cursor{}, m_table(table) {}

    int filter(int plan, const char*, int, sqlite3_value** values);
    int next() { return ++m_row < m_arguments.size() ? SQLITE_OK : readNextSet(); }
    bool atEnd() const { return m_atEnd; }
    int column(sqlite3_context* context, int column) const;
    sqlite3_int64 rowid() const {
        const std::uint64_t row = static_cast<std::uint64_t>(m_setId) * kMaxLaunchArguments + m_row;
        return static_cast<sqlite3_int64>(row);
    }

private:
    int readNextSet();

    ArgumentTable& m_table;
    StatementHandle m_sets;
    int m_plan = WholeTable;  // what m_sets was made for
    std::int64_t m_setId = 0;
    std::vector<LaunchArgument> m_arguments;
    std::size_t m_row = 0;
    bool m_atEnd = true;
};

int ArgumentCursor::filter(int plan, const char*, int, sqlite3_value** values) {
    // As the inner side of a join this runs once a launch, so the statement is kept from one to the next.
    if (!m_sets || plan != m_plan) {
        std::string sql = "SELECT argument_set_id, arguments FROM main.argument_sets";
        if (plan == OneSet) sql += " WHERE argument_set_id = ?1";
        if (const int code = prepareHandle(m_table.db, sql, m_sets); code != SQLITE_OK) return code;
        m_plan = plan;
    }
    sqlite3_reset(m_sets.get());
    if (plan == OneSet) sqlite3_bind_value(m_sets.get(), 1, values[0]);
    return readNextSet();
}

// Sets without arguments have no row here.
int ArgumentCursor::readNextSet() {
    m_row = 0;
    for (;;) {
        const int code = sqlite3_step(m_sets.get());
        m_atEnd = code != SQLITE_ROW;
        if (m_atEnd) return code == SQLITE_DONE ? SQLITE_OK : code;
        m_setId = sqlite3_column_int64(m_sets.get(), 0);
        const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(m_sets.get(), 1));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(m_sets.get(), 1));
        if (Status status = unpackArguments({data, size}, m_arguments); !status.isOk()) {
            m_atEnd = true;
            return failTable(&m_table, status);
        }
        if (!m_arguments.empty()) return SQLITE_OK;
    }
}

int ArgumentCursor::column(sqlite3_context* context, int column) const {
    const LaunchArgument& argument = m_arguments[m_row];
    switch (column) {
        case ArgumentSetId:
            sqlite3_result_int64(context, m_setId);
            break;
        case ParameterOffset:
            sqlite3_result_int64(context, argument.parameterOffset);
            break;
        case BufferId:
            resultId(context, argument.bufferId);
            break;
        default:
            sqlite3_result_int64(context, static_cast<std::int64_t>(argument.offset));
            break;
    }
    return SQLITE_OK;
}

}  // namespace

int registerArgumentModule(sqlite3* db) {
    static const sqlite3_module kModule = moduleOf<ArgumentTable, ArgumentCursor>();
    return sqlite3_create_module_v2(db, "launch_arguments", &kModule, nullptr, nullptr);
}

Status registerEventTables(Connection& connection) {
    int code = registerEventModules(connection.handle());
    if (code == SQLITE_OK) code = registerArgumentModule(connection.handle());
    if (code == SQLITE_OK) return Status::ok();
    return {ErrorKind::System,
            connection.name() + ": the event tables cannot be set up: " + sqlite3_errstr(code) + "."};
}

}  // namespace vramscope::formats
